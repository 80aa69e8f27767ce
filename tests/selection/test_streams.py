"""Streams of record batches: the same columns as from memory, whatever the batches are."""

import warnings
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from tests.messages import assert_tells
from topofs import TopologicalFeatureSelector, stability
from topofs.errors import ColumnReadingWarning, NoStructureWarning, TableError
from topofs.io import BatchSource, scan_table

pa = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")

WHOLE = ["int", "uint", "bool", "text", "large_text", "dictionary", "identifier"]
REAL = ["real", "constant", "number_in_text", "date"]


def random_column(kind, base, rng):
    n_rows = len(base)
    names = [f"L{int(v)}" for v in np.clip(np.rint(base * 1.3), -3, 3)]
    if kind == "real":
        return pa.array(base * 10.0 ** rng.integers(-3, 4) + rng.choice([0, 1e5]))
    if kind == "int":
        return pa.array(np.rint(base * 3).astype(rng.choice(["int64", "int8", "int32"])))
    return {
        "uint": lambda: pa.array(np.rint(np.abs(base) * 3).astype("uint8")),
        "bool": lambda: pa.array(base > 0),
        "text": lambda: pa.array(names),
        "large_text": lambda: pa.array(names, pa.large_string()),
        "dictionary": lambda: pa.array(names).dictionary_encode(),
        "identifier": lambda: pa.array([f"id{i}" for i in range(n_rows)]),
        "number_in_text": lambda: pa.array([f"{v:.2f}" for v in base]),
        "constant": lambda: pa.array(np.full(n_rows, float(rng.integers(0, 3)))),
        "date": lambda: pa.array(np.arange(n_rows).astype("datetime64[D]")),
    }[kind]()


def random_table(rng, kinds, *, gaps):
    n_rows = int(rng.integers(8, 300))
    hidden, columns = rng.normal(size=(n_rows, 2)), {}
    for i in range(int(rng.integers(3, 9))):
        base = hidden @ rng.normal(size=2) + rng.normal(size=n_rows) * 0.5
        kind = str(rng.choice(kinds))
        array = random_column(kind, base, rng)
        if gaps and rng.random() < 0.4:
            missing = rng.random(n_rows) < 0.15
            plain = array.dictionary_decode() if kind == "dictionary" else array
            values = zip(missing, plain.to_pylist(), strict=True)
            array = pa.array([None if gap else v for gap, v in values], plain.type)
            array = array.dictionary_encode() if kind == "dictionary" else array
        columns[f"c{i}"] = array
    return pa.table(columns)


def in_batches(table, rng):
    """A source that gives a table in batches of random sizes, some of them empty."""
    cuts = np.sort(rng.integers(0, table.num_rows + 1, rng.integers(0, 8)))
    empty = pa.RecordBatch.from_pylist([], schema=table.schema)
    parts = [
        batch
        for first, last in pairwise([0, *cuts, table.num_rows])
        for batch in table.slice(first, last - first).combine_chunks().to_batches() or [empty]
    ]

    def read(columns, n_rows):
        yield from (part.select(columns) for part in parts)

    return BatchSource("t", table.schema, None, read)


def outcome(X, **parameters):
    """A fit with its warnings, or what was refused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            selector = TopologicalFeatureSelector(**parameters).fit(X)
        except ValueError as error:
            return str(error), None
    return selector, sorted(str(warning.message) for warning in caught)


def check_same(seed, kinds, *, similarity, gaps):
    rng = np.random.default_rng(seed)
    table = random_table(rng, kinds, gaps=gaps)
    here, said_here = outcome(pl.from_arrow(table), similarity=similarity)
    there, said_there = outcome(in_batches(table, rng), similarity=similarity)
    if isinstance(here, str):
        assert there == here
        return
    assert said_there == said_here
    assert (there.support_ == here.support_).all()
    assert (there.ranking_ == here.ranking_).all()
    assert np.abs(there.scores_ - here.scores_).max() < 1e-9
    assert there.similarity_ == here.similarity_
    assert there.left_out_ == here.left_out_
    assert there.groups_[0].name == here.groups_[0].name
    if not set(kinds) & set(REAL):
        assert (there.scores_ == here.scores_).all()
        assert (there.shares_ == here.shares_).all()


@pytest.mark.parametrize("seed", range(50))
def test_whole_numbers_and_names_bit_for_bit(seed):
    check_same(seed, WHOLE, similarity="auto", gaps=True)


@pytest.mark.parametrize("seed", range(50))
def test_mixed_tables(seed):
    check_same(1000 + seed, WHOLE + REAL, similarity=("auto", "mixed")[seed % 2], gaps=True)


@pytest.mark.parametrize("seed", range(50))
def test_numbers_with_gaps(seed):
    check_same(
        2000 + seed, ["real", "int", "uint", "constant"], similarity="pearson", gaps=True
    )


@pytest.mark.parametrize("seed", range(25))
def test_complete_numbers(seed):
    check_same(3000 + seed, ["int", "uint"], similarity="auto", gaps=False)


@pytest.mark.parametrize("seed", range(25))
def test_ranks(seed):
    check_same(
        4000 + seed, ["real", "int", "uint", "constant"], similarity="spearman", gaps=seed % 2
    )


def linked(n_rows=400, n=10, seed=1):
    rng = np.random.default_rng(seed)
    X = (
        rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, n))
        + rng.normal(size=(n_rows, n)) / 2
    )
    return pl.DataFrame(X, schema=[f"c{i}" for i in range(n)])


def test_every_source_gives_the_same_fit():
    frame = linked()
    expected = TopologicalFeatureSelector().fit(frame)
    sources = [
        frame.lazy(),
        ds.dataset(frame.to_arrow()),
        pa.RecordBatchReader.from_stream(frame),
        ds.dataset(frame.to_arrow()).scanner(),
    ]
    for source in sources:
        found = TopologicalFeatureSelector().fit(source)
        assert (found.ranking_ == expected.ranking_).all()
        assert np.abs(found.scores_ - expected.scores_).max() < 1e-10
        assert list(found.feature_names_in_) == frame.columns


@pytest.mark.parametrize(
    "parameters",
    [
        {"rule": "degree", "n_features_to_select": 4},
        {"rule": "eigenvector", "graph": "mst", "n_features_to_select": 4},
        {"graph": "tmfg"},
        {"n_features_to_select": 3, "keep": ["c1"], "exclude": ["c2"]},
        {"max_similarity": 0.5, "n_features_to_select": 2},
        {"rule": "variance", "n_features_to_select": 3},
    ],
)
@pytest.mark.parametrize("with_gaps", [False, True])
def test_rules_and_constraints(parameters, with_gaps):
    frame = linked()
    if with_gaps:
        rng = np.random.default_rng(0)
        X = frame.to_numpy().copy()
        X[rng.random(X.shape) < 0.1] = np.nan
        frame = pl.DataFrame(X, schema=frame.columns)
    here = TopologicalFeatureSelector(**parameters).fit(frame)
    there = TopologicalFeatureSelector(**parameters).fit(frame.lazy())
    assert (there.ranking_ == here.ranking_).all()
    assert (there.support_ == here.support_).all()
    if here.has_groups:
        assert np.abs(there.shares_ - here.shares_).max() < 1e-9
        assert str(there.explain("c3")) == str(here.explain("c3"))
        assert str(there.evaluate(["c0", "c4"])) == str(here.evaluate(["c0", "c4"]))


@pytest.mark.parametrize("similarity", ["pearson", "spearman"])
def test_links_have_signs(similarity, tmp_path):
    frame = linked()
    frame.write_parquet(tmp_path / "0.parquet")
    one, other = (
        TopologicalFeatureSelector(similarity=similarity).fit(X).signed_graph(X)
        for X in (frame, scan_table(tmp_path))
    )
    np.testing.assert_array_equal(other.edges, one.edges)
    np.testing.assert_allclose(other.correlations, one.correlations, atol=1e-12)
    assert (one.correlations < 0).any()


def of_files(folder, *tables):
    """The tables as files of one folder, and the table in memory."""
    for k, table in enumerate(tables):
        pq.write_table(table, folder / f"{k}.parquet")
    return scan_table(folder)


def test_files_may_have_other_types_of_a_column(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(54, 2)) + rng.normal(size=(54, 1))
    k = [1, 2, 3] * 9 + [1.0, None, 2.0] * 9
    parts = [
        pa.table({"k": k[rows], "x": X[rows, 0], "y": X[rows, 1]})
        for rows in (slice(0, 27), slice(27, 54))
    ]
    found = TopologicalFeatureSelector(3).fit(of_files(tmp_path, *parts))
    whole = pl.DataFrame({"k": pl.Series(k, dtype=pl.Float64), "x": X[:, 0], "y": X[:, 1]})
    expected = TopologicalFeatureSelector(3).fit(whole)
    np.testing.assert_allclose(found.scores_, expected.scores_, atol=1e-10)


def test_categories_of_polars(tmp_path):
    rng = np.random.default_rng(0)
    names = pl.Series(["u", "v", None] * 40, dtype=pl.Categorical)
    x = rng.normal(size=120) + np.tile([0.0, 2.0, 1.0], 40)
    frame = pl.DataFrame({"x": x, "y": x + rng.normal(size=120), "names": names})
    expected = TopologicalFeatureSelector(2).fit(frame)
    found = TopologicalFeatureSelector(2).fit(frame.lazy())
    np.testing.assert_allclose(found.scores_, expected.scores_, atol=1e-10)


def test_batches_may_have_dictionaries_of_their_own():
    rng = np.random.default_rng(0)
    batches = [
        pa.record_batch(
            {
                "k": pa.array(words * 20).dictionary_encode(),
                "x": rng.normal(size=40),
                "w": rng.normal(size=40),
            }
        )
        for words in (["a", "b"], ["c", "a"])
    ]
    stream = pa.RecordBatchReader.from_batches(batches[0].schema, iter(batches))
    with pytest.warns(NoStructureWarning):
        found = TopologicalFeatureSelector().fit(stream)
    assert found.n_features_in_ == 3


def test_long_whole_numbers_in_text_keep_their_differences(tmp_path):
    rng, n = np.random.default_rng(0), np.arange(60)
    parts = {"b": n + rng.normal(size=60) * 3, "c": rng.normal(size=60)}
    source = of_files(tmp_path, pa.table({"id": [str(2**60 + i) for i in n], **parts}))
    with pytest.warns(ColumnReadingWarning, match="identifier"):
        found = TopologicalFeatureSelector(3).fit(source)
    with pytest.warns(ColumnReadingWarning, match="identifier"):
        expected = TopologicalFeatureSelector(3).fit(np.column_stack([n, *parts.values()]))
    np.testing.assert_allclose(found.scores_, expected.scores_, atol=1e-10)


def test_names_with_the_rule_variance():
    rng = np.random.default_rng(5)
    table = random_table(rng, ["real", "text", "bool", "int"], gaps=True)
    frame = pl.from_arrow(table)
    size = {"n_features_to_select": 2, "rule": "variance", "similarity": "mixed"}
    here, there = (TopologicalFeatureSelector(**size).fit(X) for X in (frame, frame.lazy()))
    assert (there.support_ == here.support_).all()
    assert np.abs(there.shares_ - here.shares_).max() < 1e-9


def test_whole_numbers_beyond_2_to_53_keep_their_differences():
    rng = np.random.default_rng(0)
    small = rng.integers(0, 100, (300, 3))
    small[:, 1] += small[:, 0]
    frame = pl.DataFrame(small + np.array([2**60, 2**62, -(2**61)]), schema=["a", "b", "c"])
    here = TopologicalFeatureSelector(2).fit(frame)
    there = TopologicalFeatureSelector(2).fit(frame.lazy())
    assert (there.scores_ == here.scores_).all()


def test_rare_columns_take_no_part():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5)) @ rng.normal(size=(5, 5))
    X[:, 4] = 0
    X[[5, 2000], 4] = 7
    frame = pl.DataFrame(X, schema=list("abcde"))
    here, said_here = outcome(frame)
    there, said_there = outcome(frame.lazy())
    assert said_there == said_here
    assert there.rare_.tolist() == here.rare_.tolist() == [4]
    found, _ = outcome(frame.lazy(), min_carriers=5000)
    assert_tells(found, "min_carriers is 5000", "1,024")


def test_an_infinite_value_is_named_with_its_row():
    frame = linked(n_rows=50).with_columns(
        c3=pl.when(pl.int_range(pl.len()) == 31).then(float("inf")).otherwise("c3")
    )
    for similarity in ("pearson", "spearman"):
        found, _ = outcome(frame.lazy(), similarity=similarity)
        assert_tells(found, "'c3'", "31")


@pytest.mark.parametrize(
    ("parameters", "facts"),
    [
        ({"similarity": "mutual_information"}, ["mutual_information", "sample"]),
        ({"similarity__rows": "ordered"}, ["rows='ordered'", "sample"]),
    ],
)
def test_what_needs_memory_is_refused(parameters, facts):
    selector = TopologicalFeatureSelector().set_params(**parameters)
    with pytest.raises(ValueError, match="give") as refused:
        selector.fit(linked().lazy())
    assert_tells(refused.value, *facts)


def test_products_that_do_not_fit_are_refused():
    rng = np.random.default_rng(0)
    names = pl.DataFrame(
        {f"n{i}": [f"L{j}" for j in rng.integers(0, 40, 400)] for i in range(3)}
    )
    for frame, fact in ((linked(), "10 columns"), (names, "119 levels")):
        found, _ = outcome(frame.lazy(), memory=3000)
        assert_tells(found, fact, "3e-06 GB", "fewer columns")


def test_ordered_categories_are_ranked_by_their_order():
    rng = np.random.default_rng(0)
    sizes = pl.Enum(["small", "large", "huge"])
    code = rng.integers(0, 3, 400)
    frame = linked().with_columns(
        size=pl.Series(np.array(sizes.categories)[code], dtype=sizes),
        near=pl.Series(code + rng.normal(size=400) / 4),
    )
    here, there = (TopologicalFeatureSelector().fit(X) for X in (frame, frame.lazy()))
    assert (there.ranking_ == here.ranking_).all()
    assert np.abs(there.scores_ - here.scores_).max() < 1e-9
    batches = [
        pa.table(
            {
                "a": [1.0, 2.0],
                "size": pa.DictionaryArray.from_arrays([0, 1], order, ordered=True),
            }
        )
        for order in (["small", "large"], ["large", "small"])
    ]
    parts = [part.to_batches()[0] for part in batches]
    source = BatchSource(
        "t", parts[0].schema, 4, lambda columns, n: (p.select(columns) for p in parts)
    )
    with pytest.raises(TableError, match="order") as refused:
        TopologicalFeatureSelector(similarity="mixed").fit(source)
    assert_tells(refused.value, "'size'", "positions")


def test_text_is_refused_by_measures_of_numbers():
    frame = linked().with_columns(place=pl.lit("oak"))
    found, _ = outcome(frame.lazy(), similarity="pearson")
    expected, _ = outcome(frame, similarity="pearson")
    assert found == expected


def test_ranks_on_a_grid_stay_within_their_error(monkeypatch):
    from topofs.backends import stream

    rng = np.random.default_rng(3)
    X = rng.normal(size=(6000, 2)) @ rng.normal(size=(2, 6)) + rng.normal(size=(6000, 6))
    frame = pl.DataFrame(X, schema=list("abcdef"))
    exact = TopologicalFeatureSelector(similarity="spearman").fit(frame)
    monkeypatch.setattr(stream, "MOST_VALUES", 1000)
    monkeypatch.setattr(stream, "GRID", 500)
    measure = exact.similarity_.replace(squared=False)
    table = stream.streamed_table(in_batches(frame.to_arrow(), rng), measure, memory=1 << 28)
    from topofs.similarity.base import dense

    found, truth = dense(measure.operator(table)), dense(measure.operator(X))
    assert 0 < table.rank_error < 0.02
    assert 0 < np.abs(found - truth).max() < table.rank_error
    assert np.abs(found - truth).max() < 1e-4
    there = TopologicalFeatureSelector(similarity="spearman").fit(frame.lazy())
    assert (there.support_ == exact.support_).all()


def test_a_refused_fit_changes_nothing():
    frame = linked()
    selector = TopologicalFeatureSelector().fit(frame.lazy())
    before = selector.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="2 samples"):
        selector.fit(frame.head(1).lazy())
    assert selector.get_feature_names_out().tolist() == before


def test_transform_and_pick_stay_lazy():
    frame = linked()
    selector = TopologicalFeatureSelector(3).fit(frame.lazy())
    names = selector.get_feature_names_out().tolist()
    assert selector.transform(frame.lazy()).collect().equals(frame.select(names))
    for take in (selector.transform, selector.pick):
        scanned = take(ds.dataset(frame.to_arrow()))
        assert pl.from_arrow(scanned.to_table()).equals(frame.select(names))
        read = take(pa.RecordBatchReader.from_stream(frame))
        assert pl.from_arrow(read.read_all()).equals(frame.select(names))
    wider = frame.lazy().with_columns(more=1).select("more", *reversed(frame.columns))
    assert selector.pick(wider).collect().columns == names
    with pytest.raises(ValueError, match=r"pick\(X\)"):
        selector.transform(wider.drop("more"))


def test_relevance_takes_weights_and_refuses_a_target():
    frame = linked()
    weights = np.arange(10) / 10
    here = TopologicalFeatureSelector(3, relevance=weights).fit(frame)
    there = TopologicalFeatureSelector(3, relevance=weights).fit(frame.lazy())
    assert (there.ranking_ == here.ranking_).all()
    with pytest.raises(ValueError, match="sample") as refused:
        TopologicalFeatureSelector(relevance="target").fit(frame.lazy(), np.zeros(400))
    assert_tells(refused.value, "Relevance", "batches")


def test_functions_that_need_rows_say_what_to_pass():
    frame, selector = linked(), TopologicalFeatureSelector(3)
    rng = np.random.default_rng(0)
    for X, advice in (
        (in_batches(frame.to_arrow(), rng), "sample"),
        (ds.dataset(frame.to_arrow()), r"X\.to_table"),
        (frame.lazy(), r"X\.collect"),
    ):
        with pytest.raises(TypeError, match=advice):
            stability(selector, X)


def test_a_filtered_dataset_gives_the_rows_of_its_filter():
    frame = linked()
    dataset = ds.dataset(frame.to_arrow()).filter(ds.field("c0") > 0)
    here = TopologicalFeatureSelector().fit(frame.filter(pl.col("c0") > 0))
    there = TopologicalFeatureSelector().fit(dataset)
    assert (there.ranking_ == here.ranking_).all()
    assert np.abs(there.scores_ - here.scores_).max() < 1e-10


def test_a_spooled_stream_has_a_limit(monkeypatch):
    from topofs.io import batches

    monkeypatch.setattr(batches, "_MOST_SPOOLED", 1000)
    with pytest.raises(TableError, match="0.000001|1e-06") as refused:
        TopologicalFeatureSelector().fit(pa.RecordBatchReader.from_stream(linked()))
    assert_tells(refused.value, "only once", "Parquet")


def test_a_stream_of_the_capsule_protocol_is_read_once():
    class Once:
        def __init__(self, frame):
            self._frame = frame

        def __arrow_c_stream__(self, requested_schema=None):
            frame, self._frame = self._frame, None
            return frame.__arrow_c_stream__(requested_schema)

    frame = linked().with_columns(kind=pl.Series(["a", "b"] * 200))
    here = TopologicalFeatureSelector().fit(frame)
    there = TopologicalFeatureSelector().fit(Once(frame))
    assert (there.ranking_ == here.ranking_).all()
