import csv

import pytest

from topofs_study.datasets import info, registry
from topofs_study.errors import UnknownDatasetError

PAPER = [
    *("PCMAC", "RELATHE", "COIL20", "ORL", "warpAR10P", "warpPIE10P", "Yale", "USPS"),
    *("colon", "GLIOMA", "lung", "lung_small", "lymphoma", "GISETTE", "Isolet", "MADELON"),
]


def test_names_in_the_order_of_the_paper():
    assert list(registry()) == [*PAPER, "digits", "breast_cancer", "wine"]


def test_nobody_can_change_the_registry():
    with pytest.raises(TypeError):
        registry()["new"] = info("wine")


def test_facts_agree_with_the_manifest(shared_datasets):
    with (shared_datasets / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        manifest = {row["name"]: row for row in csv.DictReader(file)}
    assert set(manifest) == set(PAPER) - {"GISETTE"}
    for name, row in manifest.items():
        entry = info(name)
        for fact in ("file", "sha256", "source", "n_samples", "n_features", "n_classes"):
            assert str(getattr(entry, fact)) == row[fact], (name, fact)


def test_facts_agree_with_the_paper(shared_datasets):
    with (shared_datasets.parent / "paper" / "datasets.csv").open(
        newline="", encoding="utf-8"
    ) as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == PAPER
    for row in rows:
        entry = info(row["name"])
        for fact in ("category", "n_samples", "n_features", "n_classes"):
            assert str(getattr(entry, fact)) == row[fact], (row["name"], fact)
        split = int(row["train_samples"]) if row["split_provided"] == "true" else None
        assert entry.n_train == split


def test_every_file_but_gisette_has_a_checksum():
    without = {name for name, entry in registry().items() if entry.sha256 is None}
    assert without == {"GISETTE", "digits", "breast_cancer", "wine"}


def test_only_what_is_published_has_an_address():
    on_disk = {name for name, entry in registry().items() if not entry.embedded}
    assert {name for name in on_disk if info(name).url is None} == {"GISETTE", "USPS", "lung"}
    for name in on_disk - {"GISETTE", "USPS", "lung"}:
        assert info(name).url.endswith(f"/skfeature/data/{info(name).file}")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("coil20", "did you mean 'COIL20'"),
        ("warpPIE", "did you mean 'warpPIE10P'"),
        ("xyzzy", "no dataset is called 'xyzzy'; there are"),
    ],
)
def test_an_unknown_name_lists_the_known_ones(name, hint):
    with pytest.raises(UnknownDatasetError, match=hint) as caught:
        info(name)
    assert all(known in str(caught.value) for known in registry())
