"""Everything that takes a data frame takes an AnnData object and a sparse table as well."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.feature_selection import VarianceThreshold

import topofs
from topofs import plot
from topofs.comparison import Resampling, compare, find_leaks, target_of
from topofs.io import NamedArray, typed_table
from topofs.io import frames as given
from topofs.report.selection import write_selection_report
from topofs.selection import fitted_similarity, noise_features

ROWS, COLUMNS = 60, 9
NAMES = tuple(f"g{i}" for i in range(COLUMNS))

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


def counts():
    rng = np.random.default_rng(0)
    values = rng.poisson(0.7, size=(ROWS, COLUMNS)).astype(float)
    for i in range(3):
        values[:, 3 + i] = values[:, i] + rng.poisson(0.3, ROWS)
    return values


VALUES = counts()
LABELS = np.array(["a", "b"])[(VALUES[:, 0] + VALUES[:, 6] > 1).astype(int)]


def annotated(matrix):
    anndata = pytest.importorskip("anndata", reason="the extra anndata is not installed")
    return anndata.AnnData(matrix, var=pd.DataFrame(index=list(NAMES)))


def frame():
    return pd.DataFrame(VALUES, columns=list(NAMES))


TABLES = {
    "array": lambda: VALUES,
    "list": VALUES.tolist,
    "arrow": lambda: pa.Table.from_pandas(frame()),
    "csr matrix": lambda: sparse.csr_matrix(VALUES),
    "csc array": lambda: sparse.csc_array(VALUES),
    "coo array": lambda: sparse.coo_array(VALUES),
    "sparse whole numbers": lambda: sparse.csr_array(VALUES.astype(np.int64)),
    "frame": frame,
    "polars frame": lambda: pl.DataFrame(VALUES, schema=list(NAMES)),
    "sparse frame": lambda: pd.DataFrame.sparse.from_spmatrix(
        sparse.csr_array(VALUES), columns=list(NAMES)
    ),
    "frame of sparse columns without zeros": lambda: frame().astype("Sparse[float]"),
    "frame with sparse columns": lambda: frame().astype(
        {"g2": pd.SparseDtype(float, 0.0), "g5": pd.SparseDtype(float, 0.0)}
    ),
    "annotated": lambda: annotated(VALUES),
    "sparse annotated": lambda: annotated(sparse.csr_matrix(VALUES)),
    "view of sparse annotated": lambda: annotated(sparse.csc_matrix(VALUES))[:, list(NAMES)],
    "named": lambda: NamedArray(VALUES, NAMES),
    "sparse named": lambda: NamedArray(sparse.csc_array(VALUES), NAMES),
    "typed": lambda: typed_table(frame()),
}
NAMELESS = {
    *("array", "list"),
    *(name for name in TABLES if name.startswith(("cs", "coo", "sparse wh"))),
}
OURS = {"named", "sparse named", "typed"}


def selector(**changes):
    return topofs.TopologicalFeatureSelector(3, **changes)


def fitted(X, **changes):
    found = selector(**changes).fit(X)
    return found.ranking_.tolist(), list(found._column_names())


def stable(chosen):
    def use(X):
        found = topofs.stability(chosen, X, n_resamples=3, random_state=0)
        return found.frequency.tolist(), list(found.names)

    return use


def compared(X):
    resampling = Resampling(n_folds=2, n_repeats=1, n_random=1)
    found = compare(X, target_of(LABELS), sizes=[2], resampling=resampling)
    return [(score.method, round(score.mean, 9)) for score in found.scores]


def reported(tmp_path, X):
    path = tmp_path / "page.html"
    write_selection_report(path, selector=selector().fit(X), X=X)
    return "represent" in path.read_text(encoding="utf-8")


def transformed(chosen, X):
    reduced = chosen.fit(X).transform(X)
    reduced = getattr(reduced, "X", reduced)
    if hasattr(reduced, "toarray"):
        reduced = reduced.toarray()
    return np.asarray(reduced, dtype=float).tolist()


def likely(X):
    model = topofs.LoGoCovariance("mst").fit(X)
    return round(model.score(X), 9), model.conditional([0]).mean.round(9).tolist()


def leaks(X):
    return [round(leak.score, 9) for leak in find_leaks(X, VALUES[:, 4])]


def drawn(draw):
    def use(X):
        matplotlib = pytest.importorskip("matplotlib")
        axes = draw(selector(rule="degree").fit(X), X)
        matplotlib.pyplot.close(axes.figure)
        return axes.get_title()

    return use


def seen(X):
    chosen = selector().fit(X)
    names = list(chosen._column_names())
    return (
        chosen.explain(names[3]).rank,
        round(chosen.evaluate(names[:3]).coverage, 9),
        len(chosen.substitute(int(np.flatnonzero(chosen.support_)[0]))),
        chosen.extend(2).support_.tolist(),
    )


def edges(graph):
    return sorted(map(sorted, graph.edges.tolist()))


# What each gives depends on the numbers alone.
USES = {
    "fit": lambda X: fitted(X)[0],
    "fit by spearman": lambda X: fitted(X, similarity="spearman")[0],
    "fit by mixed": lambda X: fitted(X, similarity="mixed")[0],
    "fit by information": lambda X: fitted(X, similarity="mutual_information")[0],
    "fit by energy": lambda X: fitted(X, similarity="energy", rule="degree")[0],
    "fit by variance": lambda X: fitted(X, rule="variance")[0],
    "fit by a function": lambda X: fitted(
        X, similarity=lambda table: np.corrcoef(table.T) ** 2, rule="degree"
    )[0],
    "fit and transform": lambda X: transformed(selector(), X),
    "infinite": lambda X: transformed(topofs.InfiniteFeatureSelector(3), X),
    "score": lambda X: topofs.tfs_score(X).tolist(),
    "answers": seen,
    "stability": lambda X: stable(selector())(X)[0],
    "stability by spearman": lambda X: stable(selector(similarity="spearman"))(X)[0],
    "stability of the infinite": lambda X: stable(topofs.InfiniteFeatureSelector(3))(X)[0],
    "compare": compared,
    "leaks": leaks,
    "similarity": lambda X: (
        fitted_similarity(selector().fit(X), X)
        .block(slice(0, 9), slice(0, 9))
        .round(9)
        .tolist()
    ),
    "noise": lambda X: noise_features(X, n_permutations=2, random_state=0).noise.tolist(),
    "pearson": lambda X: topofs.pearson(X).round(9).tolist(),
    "spearman": lambda X: topofs.spearman(X).round(9).tolist(),
    "energy": lambda X: topofs.energy(X).round(9).tolist(),
    "mixed": lambda X: topofs.mixed(X).round(9).tolist(),
    "mutual information": lambda X: topofs.mutual_information(X).round(9).tolist(),
    "graph of a table": lambda X: edges(topofs.tmfg_from_data(X)),
    "curve": drawn(plot.coverage_curve),
    "heat map": drawn(plot.similarity_heatmap),
    "gaussian model": likely,
}
NOT_NAMED = {"fit and transform", "infinite", "gaussian model"}
"""What takes no table that topofs itself makes."""

TYPED = {"fit", "fit by mixed", "answers", "stability", "compare", "leaks", "similarity"}
"""What takes one of several kinds of columns."""


@pytest.fixture(scope="module")
def expected():
    return {}


@pytest.mark.parametrize(
    ("use", "table"),
    [
        (use, table)
        for use in USES
        for table in TABLES
        if (table not in OURS or use not in NOT_NAMED) and (table != "typed" or use in TYPED)
    ],
)
def test_every_use_takes_every_table(use, table, expected):
    if use not in expected:
        expected[use] = USES[use](VALUES)
    assert USES[use](TABLES[table]()) == expected[use]


@pytest.mark.parametrize("table", TABLES)
def test_names_are_those_of_the_table(table):
    X = TABLES[table]()
    names = [f"x{i}" for i in range(COLUMNS)] if table in NAMELESS else list(NAMES)
    assert fitted(X)[1] == names
    assert stable(selector())(X)[1] == names
    assert list(given.column_names(X) or names) == names
    if table not in OURS:
        assert stable(VarianceThreshold(0.5))(X)[1] == names
        assert stable(topofs.InfiniteFeatureSelector(3))(X)[1] == names


@pytest.mark.parametrize("table", ["csr matrix", "sparse frame", "sparse annotated"])
@pytest.mark.parametrize("use", ["fit", "answers", "stability", "leaks", "similarity"])
def test_a_sparse_table_is_not_made_dense_where_it_need_not(use, table, expected, monkeypatch):
    expected.setdefault(use, USES[use](VALUES))
    monkeypatch.setattr(given, "parse_memory", lambda _: 100)
    assert USES[use](TABLES[table]()) == expected[use]


@pytest.mark.parametrize("table", ["csr matrix", "sparse frame", "sparse annotated"])
@pytest.mark.parametrize(
    "use", ["fit by spearman", "spearman", "mixed", "compare", "graph of a table", "infinite"]
)
def test_a_sparse_table_too_large_to_be_dense_gets_a_sentence(use, table, monkeypatch):
    X = TABLES[table]()
    monkeypatch.setattr(given, "parse_memory", lambda _: 100)
    with pytest.raises(ValueError, match=r"take.? no sparse table.* needs 0\.0 GB: give fewer"):
        USES[use](X)


@pytest.mark.parametrize("table", TABLES)
def test_a_report_is_written_of_every_table(table, tmp_path):
    assert reported(tmp_path, TABLES[table]())
