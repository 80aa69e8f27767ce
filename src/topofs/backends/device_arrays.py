"""Device functions beyond the array API: transfer of arrays, largest entries of each row."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.io.frames import library_of

if TYPE_CHECKING:
    from types import ModuleType


class NumpyArrays:
    """Arrays of numpy: the device is the host.

    The other classes have the same methods. `xp` is a namespace of the array API; arrays can be
    indexed by integer arrays.
    """

    def __init__(self) -> None:
        self._library: Any = np
        self.xp: ModuleType = _compatible("numpy")

    def put(self, array: npt.NDArray[Any]) -> Any:
        """Copy an array."""
        return np.array(array)

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """Give the array."""
        return np.asarray(array)

    def room(self, shape: tuple[int, int], like: Any) -> Any:
        """An uninitialised array of the type of another one."""
        return self._library.empty(shape, dtype=like.dtype)

    def top(self, values: Any, k: int) -> tuple[Any, Any]:
        """The k largest of each row, largest first, and where they stand."""
        places = self._library.argpartition(-values, k - 1, axis=1)[:, :k]
        order = self._library.argsort(-self.pick(values, places), axis=1)
        places = self.pick(places, order)
        return self.pick(values, places), places

    def pick(self, values: Any, places: Any) -> Any:
        """The entries of each row at places of its own."""
        return self._library.take_along_axis(values, places, axis=1)

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
        """Copy a tensor from the device; this waits until it is computed."""
        return np.asarray(array.cpu().numpy())

    def room(self, shape: tuple[int, int], like: Any) -> Any:
        """An uninitialised tensor of the type of another one."""
        return like.new_empty(shape)

    def top(self, values: Any, k: int) -> tuple[Any, Any]:
        """The k largest of each row, largest first, and where they stand."""
        found = self._torch.topk(values, k, dim=1)
        return found.values, found.indices

    def pick(self, values: Any, places: Any) -> Any:
        """The entries of each row at places of its own."""
        return self._torch.gather(values, 1, places)

    def free_bytes(self) -> int:
        """Free memory of the device, and memory that PyTorch has reserved there."""
        if self.device.type != "cuda":
            return 2**30
        cuda = self._torch.cuda
        kept = cuda.memory_reserved(self.device) - cuda.memory_allocated(self.device)
        return int(cuda.mem_get_info(self.device)[0] + kept)


class CupyArrays(NumpyArrays):
    """Arrays of CuPy, which has numpy's functions, on the device of a given number."""

    def __init__(self, number: int) -> None:
        import cupy

        self._library = cupy
        self._device = cupy.cuda.Device(number)
        self._device.use()
        self.xp: ModuleType = _compatible("cupy")

    def put(self, array: npt.NDArray[Any]) -> Any:
        """Copy an array to the device."""
        return self._library.asarray(array)

    def to_host(self, array: Any) -> npt.NDArray[Any]:
        """Copy an array from the device; this waits until it is computed."""
        return np.asarray(self._library.asnumpy(array))

    def free_bytes(self) -> int:
        """Free memory of the device, and memory that CuPy has reserved there."""
        pool = self._library.get_default_memory_pool()
        return int(self._device.mem_info[0] + pool.free_bytes())


DeviceArrays = NumpyArrays | TorchArrays


def _compatible(library: str) -> ModuleType:
    """The namespace of the array API for a library."""
    try:
        return import_module(f"array_api_compat.{library}")
    except ImportError:
        # scikit-learn ships a copy.
        return import_module(f"sklearn.externals.array_api_compat.{library}")


def on_host(X: Any) -> Any:
    """Copy a table from a device to the host's memory; other tables are returned unchanged."""
    library = library_of(X)
    if library == "torch":
        return X.detach().cpu().numpy()
    return X.get() if library == "cupy" else X


def arrays_of_device(device: str | None, X: Any) -> DeviceArrays | None:
    """Arrays on the requested device, or on the device of the table ("auto" or None).

    The result None stands for the host's memory and cores.
    """
    if device is None or device == "auto":
        library, device = library_of(X), "cpu"
        if library in {"torch", "cupy"}:
            device = str(X.device) if library == "torch" else f"cuda:{X.device.id}"
    return None if device == "cpu" else _arrays_on(device)


def _arrays_on(device: str) -> DeviceArrays:
    """Arrays of the library that is installed."""
    kind, _, number = str(device).partition(":")
    if kind != "cuda" or (number and not number.isdigit()):
        raise ValueError(
            f"device is {device!r}; known are 'auto', 'cpu', 'cuda', 'cuda:1' and so on"
        )
    which = int(number or 0)
    installed = [name for name in _COUNTS if find_spec(name) is not None]
    if not installed:
        raise ValueError(
            f"device is {device!r}, which needs PyTorch or CuPy, and neither is installed: "
            "pip install 'topofs[torch]', or a cupy package for your version of CUDA"
        )
    for library in installed:
        if which < _COUNTS[library]():
            return TorchArrays(f"cuda:{which}") if library == "torch" else CupyArrays(which)
    raise ValueError(
        f"device is {device!r}, but {' and '.join(installed)} found no such device here: use "
        "device='cpu', or check the driver and the build of the package"
    )


def _count_by_torch() -> int:
    import torch

    return int(torch.cuda.device_count())


def _count_by_cupy() -> int:
    import cupy

    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


_COUNTS = {"torch": _count_by_torch, "cupy": _count_by_cupy}
