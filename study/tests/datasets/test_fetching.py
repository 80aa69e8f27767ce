import pytest

from study.tests.datasets.file_server import serving
from topofs_study.datasets import fetch, load
from topofs_study.datasets.entries import user_cache
from topofs_study.errors import DatasetError, UnknownDatasetError


def everything_in(folder):
    return [path.name for path in folder.rglob("*")] if folder.exists() else []


def test_a_file_is_downloaded_into_the_cache_and_found_there(tiny):
    _, folder = tiny
    with serving(folder) as url:
        path = fetch("tiny", base_url=f"{url}/")
    assert path == user_cache() / "tiny.npz"
    assert path.read_bytes() == (folder / "tiny.npz").read_bytes()
    assert load("tiny").n_samples == 6


def test_a_file_that_is_there_is_not_downloaded_again(tiny):
    _, folder = tiny
    assert fetch("tiny", data_dir=folder, base_url="http://127.0.0.1:9") == folder / "tiny.npz"


def test_a_damaged_file_is_replaced(tiny, tmp_path):
    _, folder = tiny
    (tmp_path / "tiny.npz").write_bytes(b"damaged")
    with serving(folder) as url:
        fetch("tiny", data_dir=tmp_path, base_url=url)
    assert (tmp_path / "tiny.npz").read_bytes() == (folder / "tiny.npz").read_bytes()


def test_a_wrong_checksum_leaves_nothing(tiny, tmp_path):
    _, folder = tiny
    (folder / "tiny.npz").write_bytes(b"something else")
    target = tmp_path / "target"
    with (
        serving(folder) as url,
        pytest.raises(DatasetError, match=r"tiny: could not fetch .*tiny\.npz .*hash"),
    ):
        fetch("tiny", data_dir=target, base_url=url)
    assert everything_in(target) == []


def test_a_wrong_checksum_leaves_the_file_that_was_there(tiny, tmp_path):
    _, folder = tiny
    (folder / "tiny.npz").write_bytes(b"something else")
    (tmp_path / "tiny.npz").write_bytes(b"older")
    with serving(folder) as url, pytest.raises(DatasetError):
        fetch("tiny", data_dir=tmp_path, base_url=url)
    assert (tmp_path / "tiny.npz").read_bytes() == b"older"


def test_not_found_on_the_server(tiny, tmp_path):
    _, folder = tiny
    target = tmp_path / "target"
    with serving(folder) as url, pytest.raises(DatasetError, match="404"):
        fetch("tiny", data_dir=target, base_url=f"{url}/elsewhere")
    assert everything_in(target) == []


def test_no_server(tiny, tmp_path):
    with serving(tmp_path) as url:
        pass
    with pytest.raises(DatasetError, match=f"could not fetch {url}"):
        fetch("tiny", base_url=url)
    assert everything_in(user_cache()) == []


def test_a_folder_that_is_a_file(tiny, tmp_path):
    _, folder = tiny
    (tmp_path / "file").touch()
    with serving(folder) as url, pytest.raises(DatasetError, match="could not fetch"):
        fetch("tiny", data_dir=tmp_path / "file", base_url=url)


@pytest.mark.parametrize("name", ["USPS", "lung", "GISETTE"])
def test_what_has_no_address_says_where_it_comes_from(name):
    with pytest.raises(DatasetError, match=f"{name}: .* cannot be downloaded") as caught:
        fetch(name)
    assert str(user_cache()) in str(caught.value)


def test_what_has_no_checksum_is_not_taken_from_a_mirror_either():
    with pytest.raises(DatasetError, match="GISETTE has no address"):
        fetch("GISETTE", base_url="http://127.0.0.1:9")


def test_wrong_usage():
    with pytest.raises(UnknownDatasetError):
        fetch("nope")
    with pytest.raises(ValueError, match="wine comes with scikit-learn"):
        fetch("wine")
    with pytest.raises(ValueError, match="base_url is 'file:///etc'"):
        fetch("Yale", base_url="file:///etc")
