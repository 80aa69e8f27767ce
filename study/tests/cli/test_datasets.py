import pytest
from typer.testing import CliRunner

from study.tests.datasets.file_server import serving
from topofs.cli.app import app
from topofs_study.datasets import registry
from topofs_study.datasets.entries import user_cache


def run(*arguments):
    return CliRunner().invoke(app, ["datasets", *map(str, arguments)])


def test_list_names_every_dataset_and_where_it_is(tmp_path, monkeypatch):
    (tmp_path / "Yale.mat").touch()
    for folder, name in ((tmp_path / "env", "ORL.mat"), (user_cache(), "COIL20.mat")):
        folder.mkdir(parents=True)
        (folder / name).touch()
    monkeypatch.setenv("TOPOFS_DATA", str(tmp_path / "env"))
    result = run("list", "--data-dir", tmp_path)
    assert result.exit_code == 0
    lines = {line.split()[0]: line.rstrip() for line in result.stdout.splitlines()}
    assert set(registry()) <= set(lines)
    ends = {
        "Yale": "--data-dir",
        "ORL": "$TOPOFS_DATA",
        "COIL20": "user cache",
        "colon": "to fetch",
        "USPS": "missing",
        "wine": "scikit-learn",
    }
    for name, end in ends.items():
        assert end in lines[name], lines[name]


def test_info_describes_and_verifies(tiny):
    entry, folder = tiny
    result = run("info", "tiny", "--data-dir", folder)
    assert result.exit_code == 0
    for shown in (entry.sha256, entry.source, str(folder / "tiny.npz"), "verified"):
        assert shown in result.stdout


def test_info_of_a_damaged_file(tiny):
    _, folder = tiny
    (folder / "tiny.npz").write_bytes(b"damaged")
    result = run("info", "tiny", "--data-dir", folder)
    assert result.exit_code == 3
    assert "tiny.npz: the checksum is" in result.stderr


def test_info_without_a_file_and_without_a_checksum(tmp_path):
    assert "to fetch" in run("info", "Yale").stdout
    assert "scikit-learn" in run("info", "wine").stdout
    assert "none known" in run("info", "GISETTE").stdout
    (tmp_path / "GISETTE").mkdir()
    result = run("info", "GISETTE", "--data-dir", tmp_path)
    assert result.exit_code == 0
    assert "cannot be verified" in result.stdout
    assert "from 6000 on" in result.stdout


@pytest.mark.parametrize("command", ["info", "fetch"])
def test_an_unknown_dataset_is_wrong_usage(command):
    result = run(command, "nope")
    assert result.exit_code == 2
    assert all(name in result.stderr for name in registry())


def test_a_data_dir_that_is_not_there(tmp_path):
    result = run("list", "--data-dir", tmp_path / "nowhere")
    assert result.exit_code == 3
    assert "the data folder does not exist" in result.stderr


def test_fetch_prints_the_file(tiny, tmp_path):
    _, folder = tiny
    with serving(folder) as url:
        result = run("fetch", "tiny", "--data-dir", tmp_path, "--url", url)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{tmp_path / 'tiny.npz'}\n"
    assert (tmp_path / "tiny.npz").is_file()


def test_fetch_with_a_wrong_checksum(tiny, tmp_path):
    _, folder = tiny
    (folder / "tiny.npz").write_bytes(b"another file")
    target = tmp_path / "target"
    with serving(folder) as url:
        result = run("fetch", "tiny", "--data-dir", target, "--url", url)
    assert result.exit_code == 3
    assert "could not fetch" in result.stderr
    assert "Traceback" not in result.output
    assert not list(target.iterdir())


def test_fetch_what_nobody_serves():
    result = run("fetch", "lung")
    assert result.exit_code == 3
    assert str(user_cache()) in result.stderr
    assert run("fetch", "wine").exit_code == 2
    assert run("fetch", "Yale", "--url", "ftp://somewhere").exit_code == 2


def test_a_real_file_through_a_mirror(shared_datasets, tmp_path):
    with serving(shared_datasets) as url:
        result = run("fetch", "lung_small", "--data-dir", tmp_path, "--url", url)
    assert result.exit_code == 0, result.output
    assert "verified" in run("info", "lung_small", "--data-dir", tmp_path).stdout
