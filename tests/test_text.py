"""Lists of names and suggestions, as every message has them."""

import pytest

from topofs.text import joined, listed, shortened, suggest

NAMES = ["age", "weight", "height", "sex"]


@pytest.mark.parametrize(
    ("most", "quoted", "expected"),
    [
        (4, False, "age, weight, height, sex"),
        (3, False, "age, weight, height and 1 more"),
        (1, True, "'age' and 3 more"),
    ],
)
def test_names_beyond_the_first_are_counted(most, quoted, expected):
    assert listed(NAMES, most=most, quoted=quoted) == expected


def test_large_numbers_of_names_have_commas():
    assert listed(["a"] * 1002, most=1) == "a and 1,001 more"
    assert listed([]) == ""


def test_the_last_name_is_joined_by_a_word():
    assert joined(NAMES, "or") == "age, weight, height or sex"
    assert joined(["age"], "or") == "age"


def test_a_near_name_is_suggested():
    assert suggest("wieght", NAMES) == "did you mean 'weight'?"
    assert suggest("xyz", NAMES) == ""


def test_long_text_is_cut():
    assert shortened("a" * 20) == "a" * 20
    assert shortened("a" * 21) == "a" * 19 + "…"
