import pandas as pd
import pytest

from study.tests.paper.made_up_study import made_up, nothing
from topofs_study.paper import claims as measure
from topofs_study.paper.claims import (
    claims_frame,
    holds,
    measured_study,
    published_study,
    recompute_claims,
)
from topofs_study.paper.errata import errata, shifted_columns_table
from topofs_study.paper.statistics import paired_tests
from topofs_study.paper.tables import cells_table, tuned_table

SOME = ["PCMAC", "RELATHE", "GLIOMA", "colon"]


@pytest.fixture(scope="module")
def published():
    return published_study()


@pytest.fixture(scope="module")
def claims():
    return {claim.claim: claim for claim in recompute_claims({})}


def test_knn_with_inf_fs_at_ten_features_averages_0496(claims):
    claim = claims["KNN: mean balanced accuracy of Inf-FS at 10 features"]
    assert (claim.printed, claim.published_cells, claim.holds) == ("0.46", "0.496", False)


def test_linear_svm_gains_on_eight_datasets(claims):
    claim = claims["LinearSVM: datasets on which selection is at least as good as all features"]
    assert (claim.printed, claim.published_cells, claim.holds) == ("9 of 16", "8 of 16", False)


@pytest.mark.parametrize(
    ("classifier", "ties_to_tfs", "smaller_first", "strict"),
    [
        ("LinearSVM", "14 of 16", "14 of 16", "10 of 16"),
        ("KNN", "11 of 16", "10 of 16", "10 of 16"),
        ("DecisionTree", "13 of 16", "12 of 16", "10 of 16"),
    ],
)
def test_wins_by_tie_rule(published, classifier, ties_to_tfs, smaller_first, strict):
    counts = [
        measure.datasets_won(published, classifier=classifier, method="tfs", rule=rule)
        for rule in ("ties to TFS", "smaller size first", "strict")
    ]
    assert counts == [ties_to_tfs, smaller_first, strict]


def test_no_tie_rule_gives_all_three_printed_wins(claims):
    for words in ("ties to TFS", "ties to the smaller size, then to TFS"):
        told = [
            claims[f"{name}: datasets won by TFS at its best size ({words})"].holds
            for name in ("LinearSVM", "KNN", "DecisionTree")
        ]
        assert not all(told)


def test_drawdown_is_the_mean_of_highest_less_lowest(claims):
    told = [c for name, c in claims.items() if "mean drawdown of" in name]
    assert len(told) == 6
    assert all(claim.holds for claim in told)


def test_printed_rows_of_bests(claims):
    wrong = [
        n for n, c in claims.items() if " features (ties to TFS)" in n and c.holds is False
    ]
    assert wrong == [
        "DecisionTree: datasets won by TFS at 10 features (ties to TFS)",
        "DecisionTree: datasets won by Inf-FS at 10 features (ties to TFS)",
    ]


def test_the_text_names_colon_where_its_table_marks_lung(claims):
    claim = claims[
        "DecisionTree: datasets of these with Inf-FS best, "
        "TFS still at least as good as all features"
    ]
    assert (claim.printed, claim.published_cells) == ("USPS, colon", "USPS, lung")


@pytest.mark.parametrize(
    ("classifier", "expected"),
    [("LinearSVM", "8 of 14"), ("KNN", "3 of 11"), ("DecisionTree", "4 of 13")],
)
def test_significant_wins(published, classifier, expected):
    count = measure.significant_wins(published, classifier=classifier, rule="ties to TFS")
    assert count == expected


def test_by_domain(published):
    domains = [measure.compelling_domains(published, ties_count=t) for t in (False, True)]
    assert domains == ["artificial, biological", "artificial, biological, hand written images"]
    assert measure.domain_won(published, domain="biological") == "9 of 15"
    assert measure.domain_won(published, domain="text") == "6 of 6"
    counts = [
        measure.domain_against_all(published, domain="hand written images", ties_count=ties)
        for ties in (True, False)
    ]
    assert counts == ["3 of 3", "0 of 3"]


@pytest.mark.parametrize(
    ("printed", "computed", "expected"),
    [
        ("0.49", "0.486", True),
        ("0.52", "0.528", False),
        ("26 %", "26.8 %", False),
        ("16 %", "16.5 %", True),
        ("14 of 16", "14 of 16", True),
        ("14 of 16", "14 of 15", False),
        ("GLIOMA", "none", False),
        ("USPS, colon", "colon, USPS", True),
        ("3 better, 1 worse", "1 better, 3 worse", False),
        ("", "1", None),
        ("1", "", None),
    ],
)
def test_holds(printed, computed, expected):
    assert holds(printed, computed) is expected


def _run(frames, protocol):
    tests = paired_tests(frames.pairs)
    return measured_study(frames.scores, tests, frames.splits, protocol=protocol)


def test_a_run_that_equals_the_paper_gives_what_its_cells_give():
    frames = made_up(SOME, ["paper"])
    results = recompute_claims({"paper": _run(frames, "paper")})
    random_pairs = ("star", "starred")  # the made-up halves are random
    for result in results:
        if not any(word in result.claim for word in random_pairs):
            assert result.paper == result.same_datasets, result.claim
    assert {result.corrected for result in results} == {""}


def test_paper_is_compared_at_two_decimals_and_corrected_is_not():
    frames = made_up(["colon"], ["paper"])
    nudged = frames.scores.copy()
    nudged.loc[nudged["method"] == "inf_fs", "value"] += 1e-4
    nudged.loc[nudged["method"] == "tfs", "value"] = (
        nudged.loc[nudged["method"] == "inf_fs", "value"].to_numpy() - 1e-4
    )
    both = pd.concat([nudged, nudged.assign(protocol="corrected")])
    wins = {}
    for protocol in ("paper", "corrected"):
        study = measured_study(
            both, paired_tests(frames.pairs), frames.splits, protocol=protocol
        )
        wins[protocol] = measure.datasets_won(
            study, classifier="KNN", method="tfs", rule="ties to TFS"
        )
    assert wins == {"paper": "1 of 1", "corrected": "0 of 1"}


def test_incomplete_datasets_do_not_count():
    frames = made_up(["colon", "GLIOMA"], ["paper"])
    scores = frames.scores
    lost = scores["dataset"].eq("colon") & scores["n_features"].eq(200)
    study = measured_study(
        scores[~lost], paired_tests(frames.pairs), frames.splits, protocol="paper"
    )
    assert measure.datasets_won(
        study, classifier="KNN", method="tfs", rule="ties to TFS"
    ).endswith("of 1")
    at = {
        size: measure.won_at_size(
            study, classifier="KNN", method="tfs", size=size, rule="ties to TFS"
        )
        for size in (10, 200)
    }
    assert at[10].endswith("of 2")
    assert at[200].endswith("of 1")


def test_datasets_that_the_paper_lacks_do_not_count():
    frames = made_up(["colon"], ["paper"])
    renamed = frames.scores.assign(dataset="wine")
    study = measured_study(renamed, paired_tests(frames.pairs), frames.splits, protocol="paper")
    assert study.scores.empty


def test_claims_frame_has_the_columns_of_the_file(claims):
    frame = claims_frame(list(claims.values()))
    assert frame.columns.tolist() == [
        "claim",
        "printed",
        "from the published cells",
        "paper",
        "corrected",
    ]
    assert frame["claim"].is_unique
    assert (frame["from the published cells"] != "").all()


def _errata(frames, claims):
    tests = paired_tests(frames.pairs)
    cells, tuned = cells_table(frames.scores), tuned_table(frames.tuned)
    return {e.number: e for e in errata(cells, tuned, tests, list(claims.values()))}


def test_errata_of_nothing_say_so(claims):
    found = _errata(nothing(), claims)
    assert list(found) == [f"E{i}" for i in range(1, 9)]
    for number in ("E1", "E2", "E5", "E6"):
        assert found[number].effect.startswith("Not measured")
    assert "111 of the 128" in found["E4"].effect
    assert len(found["E8"].table) == 24


def test_errata_of_a_run(claims):
    found = _errata(made_up(SOME), claims)
    assert "PCMAC, RELATHE, GLIOMA" in found["E1"].effect
    assert len(found["E1"].table) == 90
    assert "tuned cells" in found["E2"].effect
    assert found["E5"].table["cells"].tolist() == [60] * 6
    assert found["E6"].table["cells"].tolist() == [12] * 5


def test_shifted_columns_table():
    frames = made_up(["GLIOMA"])
    table = shifted_columns_table(cells_table(frames.scores))
    run = table.dropna()
    assert set(run["dataset"]) == {"GLIOMA"}
    assert (run["published"] == run["shifted"]).all()
    assert (run["published"] != run["aligned"]).any()
    first = run.query("classifier == 'KNN' and n_features == 10 and method == 'tfs'")
    assert first["published"].item() == 0.10
