"""Fitted estimators in files: pickle, joblib, skops and MLflow."""

import ast
import io
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from topofs import (
    MST,
    PMFG,
    TMFG,
    AtLeast,
    AtMost,
    Auto,
    Budget,
    Centrality,
    CliqueForest,
    Coverage,
    Energy,
    InfiniteFeatureSelector,
    Links,
    LoGoCovariance,
    MinShare,
    Mixed,
    MutualInformation,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    UntilCoverage,
)

EXAMPLE = Path(__file__).parents[1] / "examples/persistence.py"


def numbers():
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(60, 3))
    like = factors + 0.3 * rng.normal(size=(60, 3))
    return pd.DataFrame(
        np.c_[factors, like, rng.normal(size=(60, 2))], columns=list("abcdefgh")
    )


def with_names():
    table = numbers()
    return table.assign(k=np.where(table.a > 0, "p", "q"), l=np.where(table.b > 0, "r", "s"))


T = TopologicalFeatureSelector
USUAL = {
    "default": T(),
    "paper": T.paper(),
    "keep and exclude": T(3, keep=["h"], exclude=["a"], max_similarity=0.99),
    "at most": T(3, at_most=AtMost(1, of={"a": "x", "b": "x"})),
    "at least": T(3, at_least=AtLeast(1, of={"a": "x", "b": "x"})),
    "coverage": T(UntilCoverage(0.8)),
    "min share": T(MinShare(0.5)),
    "budget": T(Budget(4, dict.fromkeys("abcdefgh", 1.5))),
    "mixed": T(),
    "variance": T(rule="variance"),
}
FURTHER = {
    "variance of samples": T(3, rule="variance", memory=100),
    "inf-fs": InfiniteFeatureSelector(3),
    "spearman, paths": T(similarity=Spearman(), rule=Coverage(reach="paths")),
    "mutual information": T(3, similarity=MutualInformation()),
    "mixed measure": T(3, similarity=Mixed()),
    "auto": T(3, similarity=Auto()),
    "energy": T(3, similarity=Energy(), rule="degree"),
} | {
    repr(graph): T(3, graph=graph, rule=Centrality("degree"))
    for graph in (TMFG(), MST(), PMFG(), CliqueForest())
}
# Lists of one link are cut, so that full rows of shares are needed, too.
FURTHER |= {
    f"one link, {measure!r}": T(similarity=measure, graph=Links(strongest=1))
    for measure in (Pearson(), Spearman(), Mixed(), MutualInformation())
}


def fitted(name):
    table = with_names() if "mixed" in name else numbers()
    return clone({**USUAL, **FURTHER}[name]).fit(table), table


def assert_same(again, selector, table):
    np.testing.assert_array_equal(again.get_support(), selector.get_support())
    np.testing.assert_array_equal(again.ranking_, selector.ranking_)
    np.testing.assert_array_equal(again.scores_, selector.scores_)
    pd.testing.assert_frame_equal(
        pd.DataFrame(again.transform(table)), pd.DataFrame(selector.transform(table))
    )
    if isinstance(selector, InfiniteFeatureSelector):
        return
    assert hasattr(again, "graph_") == hasattr(selector, "graph_")
    if hasattr(selector, "graph_"):
        assert again.graph_ == selector.graph_
    assert str(again.explain("c")) == str(selector.explain("c"))
    assert repr(again.get_params()) == repr(selector.get_params())
    assert again.at(2).get_feature_names_out().tolist() == (
        selector.at(2).get_feature_names_out().tolist()
    )
    if selector.has_groups:
        assert again.groups_ == selector.groups_
        assert str(again.evaluate()) == str(selector.evaluate())


def by_pickle(estimator):
    return pickle.loads(pickle.dumps(estimator))


def by_joblib(estimator):
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(estimator):
    skops = pytest.importorskip("skops.io")
    return skops.loads(skops.dumps(estimator), trusted=trusted())


def trusted():
    """The list of types on the page."""
    if not EXAMPLE.exists():
        pytest.skip("the repository alone has the examples")
    for statement in ast.parse(EXAMPLE.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "TRUSTED":
            return ast.literal_eval(statement.value)
    raise AssertionError("the example has no list of trusted types")


WAYS = [by_pickle, by_joblib, by_skops]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [*USUAL, *FURTHER])
def test_a_selector_is_the_same_again(name, way):
    selector, table = fitted(name)
    assert_same(way(selector), selector, table)


@pytest.mark.parametrize("way", WAYS)
def test_a_pipeline_is_the_same_again(way):
    table = numbers()
    pipeline = make_pipeline(T(3), StandardScaler(), LinearRegression()).fit(table, table.a)
    again = way(pipeline)
    np.testing.assert_array_equal(again.predict(table), pipeline.predict(table))
    assert_same(again[0], pipeline[0], table)


@pytest.mark.parametrize("way", WAYS)
def test_a_covariance_is_the_same_again(way):
    X = numbers().to_numpy()
    model = LoGoCovariance().fit(X)
    again = way(model)
    np.testing.assert_array_equal(again.covariance_, model.covariance_)
    assert (again.get_precision() != model.get_precision()).nnz == 0
    assert again.score(X) == model.score(X)
    np.testing.assert_array_equal(again.mahalanobis(X), model.mahalanobis(X))


def test_the_page_names_every_type_and_no_other():
    skops = pytest.importorskip("skops.io")
    estimators = [fitted(name)[0] for name in [*USUAL, *FURTHER]]
    estimators.append(LoGoCovariance().fit(numbers().to_numpy()))
    found = {
        name for one in estimators for name in skops.get_untrusted_types(data=skops.dumps(one))
    }
    assert trusted() == sorted(found)


def test_a_type_that_is_not_named_is_refused():
    skops = pytest.importorskip("skops.io")
    from skops.io.exceptions import UntrustedTypesFoundException

    content = skops.dumps(T(3).fit(numbers()))
    with pytest.raises(UntrustedTypesFoundException, match="TopologicalFeatureSelector"):
        skops.loads(content)


def test_another_process_reads_it(tmp_path):
    selector, _ = fitted("keep and exclude")
    joblib.dump(selector, tmp_path / "s.joblib")
    code = "import joblib, sys; s = joblib.load(sys.argv[1]); print(s.evaluate(), *s.support_)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s.joblib")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (
        done.stdout.rstrip() == f"{selector.evaluate()} {' '.join(map(str, selector.support_))}"
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["default", "pipeline"])
@pytest.mark.parametrize("form", ["skops", "cloudpickle"])
def test_mlflow(tmp_path, name, form):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flavour = pytest.importorskip("mlflow.sklearn")
    if form == "skops":
        pytest.importorskip("skops")
    table = numbers()
    model = T() if name == "default" else make_pipeline(T(3), LinearRegression())
    model.fit(table, table.a)
    options = {"skops_trusted_types": trusted()} if form == "skops" else {}
    flavour.save_model(
        model,
        tmp_path / "model",
        serialization_format=form,
        pip_requirements=["topofs"],
        **options,
    )
    again = flavour.load_model(str(tmp_path / "model"))
    if name == "default":
        assert_same(again, model, table)
    else:
        np.testing.assert_array_equal(again.predict(table), model.predict(table))
