"""What an explanation says; what it holds is tested with the estimator."""

from topofs.selection import Explanation, Neighbor


def explanation(*neighbors, feature="ash"):
    return Explanation(
        feature=feature,
        selected=False,
        forced=False,
        score=3.0,
        rank=2,
        n_features=5,
        n_selected=1,
        n_same_score=0,
        score_name="degree",
        neighbors=neighbors,
        constant=False,
    )


ALIKE = Neighbor("alike", 0.5, selected=True)
EMPTY = Neighbor("empty", 0.0, selected=True)


def test_links_of_weight_0_are_counted_and_not_named():
    assert str(explanation(ALIKE, EMPTY)).splitlines()[2:] == [
        "Joined to 2 features, 2 of them selected:",
        "  alike  0.5  selected",
        "1 of the 2 links has weight 0: no similarity, only there to complete the graph.",
    ]
    assert str(explanation(EMPTY, EMPTY)).splitlines()[2:] == [
        "Joined to 2 features, 2 of them selected.",
        "2 of the 2 links have weight 0: no similarity, only there to complete the graph.",
    ]
    assert "weight 0" not in str(explanation(ALIKE))


def test_a_name_stays_in_its_line():
    odd = Neighbor("a\nb\u2028c", 0.5, selected=False)
    lines = str(explanation(odd, feature="x\r\ny")).splitlines()
    assert lines[0] == "x\ufffd\ufffdy is not selected."
    assert lines[3:] == ["  a\ufffdb\ufffdc  0.5"]
