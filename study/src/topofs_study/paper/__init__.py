"""The paper's study: plan, run, store, statistics and tables."""

from topofs.errors import import_extra

# The modules of this room import pandas at their top; say here what brings it.
import_extra("pandas", extra="reproduce", purpose="topofs.experiments")
