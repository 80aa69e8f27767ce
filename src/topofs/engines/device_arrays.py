"""What a device must offer beside the array API: arrays to and fro, the largest of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["CupyArrays", "DeviceArrays", "NumpyArrays", "TorchArrays", "arrays_on", "lives_on"]

_ADVICE = "install the package of your CUDA version: pip install 'topofs[torch]' (or [cupy])"


class DeviceArrays(Protocol):
    """Arrays of one library on one device.

    `xp` is a namespace of the array API; the arrays may be indexed by arrays of integers.
    """

    xp: ModuleType

    def put(self, array: npt.NDArray[Any]) -> Any:
        """Copy an array to the device."""

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """Copy an array from the device; this waits until it is computed."""

    def top(self, values: Any, k: int) -> tuple[Any, Any]:
        """The k largest of each row, largest first, and where they stand."""

    def pick(self, values: Any, places: Any) -> Any:
        """The entries of each row at places of its own."""

    def free_bytes(self) -> int:
        """How much memory is free on the device."""


class NumpyArrays:
    """Arrays of numpy: the device is this machine's memory."""

    def __init__(self) -> None:
        self.xp: ModuleType = _compatible("numpy")

    def put(self, array: npt.NDArray[Any]) -> Any:
        """Copy an array."""
        return np.array(array)

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """Give the array."""
        return np.asarray(array)

    def top(self, values: Any, k: int) -> tuple[Any, Any]:
        """The k largest of each row, largest first, and where they stand."""
        places = np.argpartition(-values, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(values, places, axis=1), axis=1)
        places = np.take_along_axis(places, order, axis=1)
        return np.take_along_axis(values, places, axis=1), places

    def pick(self, values: Any, places: Any) -> Any:
        """The entries of each row at places of its own."""
        return np.take_along_axis(values, places, axis=1)

    def free_bytes(self) -> int:
        """A small part of the machine's memory: results do not depend on it."""
        return 2**30


class TorchArrays:
    """Tensors of PyTorch on a device such as "cuda" or "cuda:1"."""

    def __init__(self, device: str) -> None:
        import torch

        self._torch = torch
        self.device = torch.device(device)
        self.xp: ModuleType = _compatible("torch")

    def put(self, array: npt.NDArray[Any]) -> Any:
        """Copy an array to the device."""
        return self._torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """Copy a tensor from the device."""
        return np.asarray(array.cpu().numpy())

    def top(self, values: Any, k: int) -> tuple[Any, Any]:
        """The k largest of each row, largest first, and where they stand."""
        found = self._torch.topk(values, k, dim=1)
        return found.values, found.indices

    def pick(self, values: Any, places: Any) -> Any:
        """The entries of each row at places of its own."""
        return self._torch.gather(values, 1, places)

    def free_bytes(self) -> int:
        """What is free on the device, and what PyTorch keeps there for its own use."""
        if self.device.type != "cuda":
            return 2**30
        cuda = self._torch.cuda
        kept = cuda.memory_reserved(self.device) - cuda.memory_allocated(self.device)
        return int(cuda.mem_get_info(self.device)[0] + kept)


class CupyArrays:
    """Arrays of CuPy on a device of a given number."""

    def __init__(self, number: int) -> None:
        import cupy

        self._cupy = cupy
        self._device = cupy.cuda.Device(number)
        self._device.use()
        self.xp: ModuleType = _compatible("cupy")

    def put(self, array: npt.NDArray[Any]) -> Any:
        """Copy an array to the device."""
        return self._cupy.asarray(array)

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """Copy an array from the device."""
        return np.asarray(self._cupy.asnumpy(array))

    def top(self, values: Any, k: int) -> tuple[Any, Any]:
        """The k largest of each row, largest first, and where they stand."""
        places = self._cupy.argpartition(-values, k - 1, axis=1)[:, :k]
        order = self._cupy.argsort(-self.pick(values, places), axis=1)
        places = self.pick(places, order)
        return self.pick(values, places), places

    def pick(self, values: Any, places: Any) -> Any:
        """The entries of each row at places of its own."""
        return self._cupy.take_along_axis(values, places, axis=1)

    def free_bytes(self) -> int:
        """What is free on the device, and what CuPy keeps there for its own use."""
        pool = self._cupy.get_default_memory_pool()
        return int(self._device.mem_info[0] + pool.free_bytes())


def _compatible(library: str) -> ModuleType:
    """The namespace of the array API for a library."""
    from importlib import import_module

    try:
        return import_module(f"array_api_compat.{library}")
    except ImportError:
        # scikit-learn brings a copy.
        return import_module(f"sklearn.externals.array_api_compat.{library}")


def lives_on(X: Any) -> str | None:
    """The device that a table lies on, as "cuda:0", or None for this machine's memory."""
    library = type(X).__module__.partition(".")[0]
    if library == "torch" and X.device.type != "cpu":
        return str(X.device)
    if library == "cupy":
        return f"cuda:{X.device.id}"
    return None


def arrays_on(device: str) -> DeviceArrays:
    """Arrays on a device, of the library that is installed.

    Parameters
    ----------
    device : str
        "cuda" or "cuda:1".

    Returns
    -------
    DeviceArrays
    """
    kind, _, number = device.partition(":")
    if kind != "cuda" or (number and not number.isdigit()):
        raise ValueError(
            f"device is {device!r}; known are 'auto', 'cpu', 'cuda' and 'cuda:1' and so on"
        )
    found = False
    try:
        import torch

        found = True
        if torch.cuda.is_available() and int(number or 0) < torch.cuda.device_count():
            return TorchArrays(device)
    except ImportError:
        pass
    try:
        import cupy

        found = True
        if int(number or 0) < cupy.cuda.runtime.getDeviceCount():
            return CupyArrays(int(number or 0))
    except Exception as error:  # noqa: BLE001
        # CuPy raises errors of its own where there is no driver.
        if not isinstance(error, ImportError):
            found = True
    if found:
        raise ValueError(
            f"device is {device!r}, but there is no such CUDA device here: use device='cpu'"
        )
    raise ValueError(
        f"device is {device!r}, which needs PyTorch or CuPy, and neither is installed: {_ADVICE}"
    )
