import pytest

from tests.messages import assert_tells

MESSAGE = "2 of 15 columns are constant: a, b (--drop\n b), a share of 0.5."


@pytest.mark.parametrize(
    "facts", [(), (2, 15), ("2 of 15", "a, b", "--drop b", "0.5"), ("constant", "share")]
)
def test_facts_in_their_order(facts):
    assert_tells(MESSAGE, *facts)


@pytest.mark.parametrize("facts", [(5,), (1,), ("b", "a, b"), ("0",), ("colum",), ("drop a",)])
def test_what_is_no_fact_of_a_message(facts):
    with pytest.raises(AssertionError, match="is not in"):
        assert_tells(MESSAGE, *facts)
