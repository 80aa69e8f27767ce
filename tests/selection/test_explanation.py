"""What an explanation says; what it holds is tested with the estimator."""

from topofs.selection import Explanation, Neighbor
from topofs.selection.answers import Representation


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


def test_of_many_links_the_strongest_are_named():
    lines = str(explanation(*(Neighbor(f"n{i}", 0.9, selected=False) for i in range(50))))
    assert "Joined to 50 features, 0 of them selected:" in lines
    assert "  n7  0.9\n  … and 42 weaker links" in lines
    assert "n8" not in lines


def test_a_name_stays_in_its_line():
    odd = Neighbor("a\nb\u2028c", 0.5, selected=False)
    lines = str(explanation(odd, feature="x\r\ny")).splitlines()
    assert lines[0] == "x\ufffd\ufffdy is not selected."
    assert lines[3:] == ["  a\ufffdb\ufffdc  0.5"]
    represented = Representation("a\nb", 0.7, ("c\rd",), (), isolated=False)
    assert represented.lines(selected=False) == [
        "a\ufffdb represents it, with 0.7 of its variance, by way of c\ufffdd."
    ]


def test_little_is_shared_and_not_represented():
    members = (("b", 0.6), ("c", 0.25), ("d", 0.04), ("e", 0.001))
    selected = Representation("a", 1.0, (), members, isolated=False)
    assert selected.lines(selected=True) == [
        "It represents 2 other features:",
        "  b  0.6",
        "  c  0.25",
        "It shares less than 25% with 2 others, and no selected feature shares more with them:",
        "  d  0.04",
        "  e  0.001",
    ]
    other = Representation("a", 0.04, ("b",), (), isolated=False)
    assert other.lines(selected=False) == [
        "a shares 4% with it, by way of b: no selected feature more."
    ]
    alone = Representation("a", 1.0, (), (("d", 0.2),), isolated=False)
    assert alone.lines(selected=True)[0] == "It represents itself alone."


def test_one_sentence_for_all_with_whom_little_is_shared():
    members = tuple((f"c{i}", 0.2 - i / 200) for i in range(23))
    lines = Representation("a", 1.0, (), members, isolated=False).lines(selected=True)
    assert len([line for line in lines if "no selected feature" in line]) == 1
    assert len(lines) == 2 + 23
