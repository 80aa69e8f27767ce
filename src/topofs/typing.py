"""Names of array types for annotations."""

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
