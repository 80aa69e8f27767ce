"""Compare the facts of a message (names, numbers, options), so that its words may improve."""

import re


def assert_tells(message, *facts):
    """The facts are in the message, in this order, each as a whole: 5 is not in 15 or in 0.5.

    In a list of names, "a, b" is one fact: no other name stands between.
    """
    message, at = " ".join(str(message).split()), 0
    for fact in (" ".join(str(fact).split()) for fact in facts):
        pattern = rf"(?<![\w.]){re.escape(fact)}(?![\w]|\.\d)"
        found = re.search(pattern, message[at:])
        assert found, f"{fact!r} is not in {message[at:]!r}, the rest of {message!r}"
        at += found.end()
