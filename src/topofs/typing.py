"""One name for each kind of array that annotations speak of."""

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.floating[Any]]
"""Like `Floats`, with two dimensions."""
