"""Train a network on a table until unseen rows no longer gain by it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn

__all__ = ["Training", "train"]


@dataclass(frozen=True)
class Training:
    """How a network is trained: AdamW, in batches, with early stopping.

    A share of the rows is held out; `patience` epochs without a new best on them end it.
    """

    learning_rate: float = 1e-2
    weight_decay: float = 1e-4
    batch_size: int = 64
    max_epochs: int = 200
    validation_fraction: float = 0.15
    patience: int = 20


def train(
    network: nn.Module,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    settings: Training,
    *,
    generator: torch.Generator,
) -> list[float]:
    """Train in place; the network ends as it was when the rows held out did best.

    `loss` is the mean loss of outputs and targets; `generator`, on the CPU, draws the rows held
    out and the batches. Gives the loss of the rows held out, after each epoch.
    """
    shuffled = torch.randperm(len(inputs), generator=generator).to(inputs.device)
    n_held_out = min(len(inputs) - 1, max(1, round(settings.validation_fraction * len(inputs))))
    held_out, rows = shuffled[:n_held_out], shuffled[n_held_out:]
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    losses: list[float] = []
    best, since_best = copy.deepcopy(network.state_dict()), 0
    for _ in range(settings.max_epochs):
        network.train()
        order = rows[torch.randperm(len(rows), generator=generator).to(rows.device)]
        for batch in order.split(settings.batch_size):
            optimizer.zero_grad()
            loss(network(inputs[batch]), targets[batch]).backward()
            optimizer.step()
        network.eval()
        with torch.no_grad():
            found = float(loss(network(inputs[held_out]), targets[held_out]))
        since_best += 1
        if not losses or found < min(losses):
            best, since_best = copy.deepcopy(network.state_dict()), 0
        losses.append(found)
        if since_best >= settings.patience:
            break
    network.load_state_dict(best)
    return losses
