import re
from dataclasses import replace

import numpy as np
import pytest

from tests.report.comparison_cases import MEANS, made_up
from tests.report.selection_cases import HOSTILE
from topofs.comparison.compare import MethodScores
from topofs.report.comparison import (
    chart_of,
    comparison_report,
    comparison_words,
    round_ticks,
    summarise_comparison,
    write_comparison_report,
)


def page_of(comparison, tmp_path, **options):
    path = tmp_path / "comparison.html"
    write_comparison_report(path, comparison=comparison, **options)
    return path.read_text(encoding="utf-8")


def random_p(*values):
    return {("random", size): p for size, p in zip((2, 5, 10), values, strict=True)}


@pytest.mark.parametrize(
    ("p_values", "headline"),
    [
        (random_p(0.001, 0.001, 0.001), "On your data TFS beats random subsets"),
        (random_p(0.001, 0.9, 0.9), "On your data TFS beats random subsets at some sizes"),
        # 0.04 by itself, 0.12 after Holm's correction over three sizes.
        (random_p(0.04, 0.9, 0.9), "On your data TFS cannot be told apart from random subsets"),
        (
            random_p(float("nan"), 1, 1),
            "On your data TFS cannot be told apart from random subsets",
        ),
    ],
)
def test_the_headline_follows_the_tests_against_random_subsets(p_values, headline):
    assert (
        comparison_words(summarise_comparison(made_up(p_values=p_values)))["headline"]
        == headline
    )


def test_worse_and_mixed_headlines():
    comparison = made_up()
    worse = [replace(test, difference=-0.1) for test in comparison.tests]
    words = comparison_words(summarise_comparison(replace(comparison, tests=tuple(worse))))
    assert words["headline"] == "On your data TFS does worse than random subsets"
    mixed = [replace(test, difference=0.1 if test.n_features == 2 else -0.1) for test in worse]
    words = comparison_words(summarise_comparison(replace(comparison, tests=tuple(mixed))))
    assert words["headline"].endswith("at some sizes and loses at others")


def test_without_random_subsets_there_is_no_verdict():
    comparison = made_up()
    scores = tuple(s for s in comparison.scores if s.method in ("tfs", "variance"))
    summary = summarise_comparison(replace(comparison, scores=scores))
    assert summary.everything is None
    assert comparison_words(summary)["headline"] == "How TFS does on your data"
    assert chart_of(summary)["level"] is None


def test_holm_steps_down():
    p_values = random_p(0.02, 0.01, 0.03)
    summary = summarise_comparison(made_up(p_values=p_values))
    random = next(series for series in summary.rivals if series.method == "random")
    assert [verdict.adjusted for verdict in random.verdicts] == pytest.approx(
        [0.04, 0.03, 0.04]
    )


def test_the_sentence_names_the_best_size():
    comparison = made_up()
    means = {size: comparison.of("tfs", size).mean for size in comparison.sizes}
    best = max(means, key=means.get)
    words = comparison_words(summarise_comparison(comparison))
    assert f"reaches {means[best]:.3f} with {best} of 13 columns" in words["meaning"]
    assert (
        f"random subsets of that size reach {comparison.of('random', best).mean:.3f}"
        in words["meaning"]
    )
    assert "TFS against Inf-FS, 3 sizes: 3 better." in words["notes"]


def test_the_chart_keeps_order_and_stays_inside():
    chart = chart_of(summarise_comparison(made_up()))
    assert [curve["label"] for curve in chart["curves"]] == [
        "TFS",
        "Inf-FS",
        "variance",
        "random subsets",
    ]
    heights = [curve["points"][0]["y"] for curve in chart["curves"]]
    by_mean = sorted(range(4), key=lambda at: -list(MEANS.values())[at])
    assert sorted(range(4), key=lambda at: heights[at])[0] == by_mean[0]
    for curve in chart["curves"]:
        for point in curve["points"]:
            assert chart["left"] <= point["x"] <= chart["right"]
            assert chart["top"] <= point["high"] <= point["y"]
            assert point["y"] <= point["low"] <= chart["bottom"]


@pytest.mark.parametrize(
    ("low", "high"), [(0.7, 0.9), (-3.2, 0.4), (0.0, 1e-6), (0.5, 0.5), (-200.0, 0.9)]
)
def test_ticks_are_round_and_enclose(low, high):
    ticks = round_ticks(low, high)
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 9
    np.testing.assert_allclose(np.diff(ticks), ticks[1] - ticks[0])


def test_the_page_stands_alone_and_runs_nothing(tmp_path):
    page = page_of(made_up(), tmp_path, table_name="wine.csv")
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=", page)
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("<svg") == 2
    assert page.count("<circle") == 2 * 4 * 3
    assert "▲ +0.050, p = 0.001" in page
    assert comparison_report(comparison=made_up(), table_name="wine.csv") == page


def test_hostile_names_are_text(tmp_path):
    page = page_of(made_up(target=HOSTILE), tmp_path, table_name=HOSTILE)
    assert "<script>" not in page
    assert "<img" not in page
    assert page.count("&lt;/script&gt;") >= 3


def test_scores_that_are_no_numbers_are_left_out(tmp_path):
    comparison = made_up(metric="R²")
    broken = tuple(
        MethodScores(s.method, s.n_features, (float("nan"),) * 10)
        if (s.method, s.n_features) == ("variance", 5)
        else s
        for s in comparison.scores
    )
    page = page_of(replace(comparison, scores=broken), tmp_path)
    assert "nan" not in page
    assert "<strong>–</strong>" in page


def test_a_failure_leaves_the_old_page(tmp_path):
    old = tmp_path / "comparison.html"
    old.write_text("old", encoding="utf-8")
    with pytest.raises(KeyError):
        write_comparison_report(old, comparison=replace(made_up(), scores=()))
    assert old.read_text(encoding="utf-8") == "old"
