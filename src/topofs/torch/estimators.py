"""Homological networks as scikit-learn estimators."""

from __future__ import annotations

from dataclasses import fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import nn

from topofs.graphs.filtered_graph import FilteredGraph
from topofs.io.frames import dense_frame, unmasked
from topofs.models.logo import graph_of_table
from topofs.similarity.table import is_constant
from topofs.torch.networks import HomologicalConvNet, HomologicalNetwork, Training, train

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.graphs.base import Graph
    from topofs.typing import Doubles

__all__ = ["HomologicalClassifier", "HomologicalRegressor"]

_NETWORKS: dict[str, Callable[[FilteredGraph, int], nn.Module]] = {
    "layers": HomologicalNetwork,
    "convolution": HomologicalConvNet,
}


class _Homological(BaseEstimator):
    """Base of both estimators: the table, the graph and the training."""

    def __init__(
        self,
        graph: str | Graph | FilteredGraph = "tmfg",
        *,
        network: str = "layers",
        learning_rate: float = 1e-2,
        weight_decay: float = 1e-4,
        batch_size: int = 64,
        max_epochs: int = 200,
        validation_fraction: float = 0.15,
        patience: int = 20,
        device: str = "cpu",
        random_state: Any = None,
    ) -> None:
        self.graph = graph
        self.network = network
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.random_state = random_state

    def _fit_network(self, X: Doubles, targets: Any, n_outputs: int, loss: Any) -> None:
        """Build the graph, then the network, and train it."""
        if self.network not in _NETWORKS:
            known = ", ".join(map(repr, _NETWORKS))
            raise ValueError(f"network is {self.network!r}; known are {known}")
        settings = self._training()
        given = isinstance(self.graph, FilteredGraph)
        self._varying = np.full(X.shape[1], fill_value=True) if given else ~is_constant(X)
        if not self._varying.any():
            raise ValueError("every column of X is constant, so there is nothing to learn from")
        X = X[:, self._varying]
        self.graph_ = graph_of_table(X, self.graph, memory="2GB")
        self._mean, scale = X.mean(axis=0), X.std(axis=0)
        self._scale = np.where(scale > 0, scale, 1.0)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = _NETWORKS[self.network](self.graph_, n_outputs)
        self.network_ = network.to(self.device)
        generator = torch.Generator().manual_seed(seed)
        inputs, on_device = self._inputs(X), torch.as_tensor(targets, device=self.device)
        self.losses_ = train(
            self.network_, inputs, on_device, loss, settings, generator=generator
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _training(self) -> Training:
        for name in ("batch_size", "max_epochs", "patience"):
            self._check(name, Integral, "a whole number above 0", lambda value: value > 0)
        self._check("learning_rate", Real, "a number above 0", lambda value: value > 0)
        self._check("weight_decay", Real, "a number, 0 or more", lambda value: value >= 0)
        self._check("validation_fraction", Real, "in (0, 1)", lambda value: 0 < value < 1)
        return Training(**{field.name: getattr(self, field.name) for field in fields(Training)})

    def _check(
        self, name: str, kind: type, words: str, is_allowed: Callable[[Any], bool]
    ) -> None:
        value = getattr(self, name)
        if not (isinstance(value, kind) and is_allowed(value)):
            raise ValueError(f"{name} is {value!r}; it must be {words}")

    def _inputs(self, X: Doubles) -> torch.Tensor:
        standardised = (X - self._mean) / self._scale
        return torch.as_tensor(standardised, dtype=torch.float32, device=self.device)

    def _outputs(self, X: Any) -> torch.Tensor:
        check_is_fitted(self)
        X = validate_data(
            self,
            dense_frame(X, what=f"{type(self).__name__} takes"),
            reset=False,
            dtype=np.float64,
        )
        self.network_.eval()
        with torch.no_grad():
            return self.network_(self._inputs(X[:, self._varying])).cpu()


class HomologicalClassifier(ClassifierMixin, _Homological):
    """Classify rows by a network whose wiring is the graph of the columns.

    The columns are standardised, the graph is built from their squared correlations in the rows
    of the fit, and the network is trained by AdamW until rows held out no longer gain by it.
    Constant columns take no part.

    Parameters
    ----------
    graph : str, Graph or FilteredGraph, default="tmfg"
        The wiring: a family, or a given graph of the columns.
    network : {"layers", "convolution"}, default="layers"
        `HomologicalNetwork` or `HomologicalConvNet`.
    learning_rate, weight_decay : float, default=0.01, 0.0001
        Of AdamW.
    batch_size : int, default=64
        Rows a step.
    max_epochs : int, default=200
        Most passes over the rows.
    validation_fraction : float, default=0.15
        Share of the rows that is held out to stop by.
    patience : int, default=20
        Epochs without a new best before it stops; the best network is kept.
    device : str, default="cpu"
        Device for training and prediction, such as "cuda".
    random_state : int, RandomState or None, default=None
        Weights, rows held out and batches. The same seed gives the same network on the CPU.

    Attributes
    ----------
    network_ : torch.nn.Module
        The trained network.
    graph_ : FilteredGraph
        Its wiring.
    losses_ : list of float
        The loss of the rows held out, after each epoch.
    classes_ : array
        The classes.
    n_features_in_ : int
        Number of columns given to fit.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import train_test_split
    >>> from topofs.torch import HomologicalClassifier
    >>> X, X_test, y, y_test = train_test_split(*load_wine(return_X_y=True), random_state=0)
    >>> model = HomologicalClassifier(max_epochs=50, random_state=0).fit(X, y)
    >>> bool(model.score(X_test, y_test) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Build the graph and train the network.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Numbers, complete.
        y : array-like, shape (n_samples,)
            Classes, two or more.

        Returns
        -------
        self
        """
        X, y = validate_data(
            self,
            dense_frame(X, what=f"{type(self).__name__} takes"),
            unmasked(y),
            dtype=np.float64,
            ensure_min_samples=2,
        )
        check_classification_targets(y)
        self.classes_, targets = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class; a classifier needs two or more")
        self._fit_network(X, targets, len(self.classes_), nn.functional.cross_entropy)
        return self

    def predict_proba(self, X: Any) -> npt.NDArray[np.float32]:
        """Give the probabilities of the classes.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of float32, shape (n_samples, n_classes)
        """
        return np.asarray(torch.softmax(self._outputs(X), dim=1).numpy())

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Give the likeliest class of each row.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples,)
        """
        likeliest = self._outputs(X).argmax(dim=1).numpy()
        return np.asarray(self.classes_[likeliest])


class HomologicalRegressor(RegressorMixin, _Homological):
    """Predict a number by a network whose wiring is the graph of the columns.

    Parameters and attributes are those of `HomologicalClassifier`, but for the classes. The
    target is standardised, and the loss is the squared error.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.model_selection import train_test_split
    >>> from topofs.torch import HomologicalRegressor
    >>> X, X_test, y, y_test = train_test_split(*load_diabetes(return_X_y=True), random_state=0)
    >>> model = HomologicalRegressor(max_epochs=50, random_state=0).fit(X, y)
    >>> bool(model.score(X_test, y_test) > 0.2)
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Build the graph and train the network.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Numbers, complete.
        y : array-like, shape (n_samples,)
            What to predict; it is standardised.

        Returns
        -------
        self
        """
        X, y = validate_data(
            self,
            dense_frame(X, what=f"{type(self).__name__} takes"),
            unmasked(y),
            dtype=np.float64,
            ensure_min_samples=2,
            y_numeric=True,
        )
        y = np.asarray(y, dtype=np.float64)
        self._target_mean, self._target_scale = y.mean(), y.std() or 1.0
        targets = ((y - self._target_mean) / self._target_scale).astype(np.float32)
        self._fit_network(X, targets[:, None], 1, nn.functional.mse_loss)
        return self

    def predict(self, X: Any) -> Doubles:
        """Predict the number of each row.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of float64, shape (n_samples,)
        """
        outputs = self._outputs(X).numpy()[:, 0].astype(np.float64)
        return np.asarray(outputs * self._target_scale + self._target_mean)
