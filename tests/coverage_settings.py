"""Settings of a selector by which coverage ranks in its different ways."""

from topofs import Coverage, Links

BY_COVERAGE = {
    "links": {},
    "few links": {"graph": Links(strongest=3)},
    "all pairs": {"graph": Links(strongest=None)},
    "paths of links": {"rule": Coverage(reach="paths")},
    "paths": {"graph": "tmfg"},
    "edges": {"graph": "tmfg", "rule": Coverage(reach="edges")},
}
