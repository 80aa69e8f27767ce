import os

import pytest

from topofs.atomic_write import replacing, replacing_together


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(OSError, match="disk full"), replacing(target) as unfinished:
        unfinished.write_text("ne")
        raise OSError("disk full")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_the_new_file_has_ordinary_permissions_and_the_replaced_one_keeps_its_own(tmp_path):
    target, ordinary = tmp_path / "out.txt", tmp_path / "ordinary.txt"
    ordinary.touch()
    with replacing(target) as unfinished:
        unfinished.write_text("new")
    assert target.stat().st_mode == ordinary.stat().st_mode
    target.chmod(0o600)
    with replacing(target) as unfinished:
        unfinished.write_text("newer")
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.read_text() == "newer"


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="give the name of a file"), replacing(tmp_path):
        pass


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "no" / "file.txt"):
        pass


def test_a_link_is_followed(tmp_path):
    target, link = tmp_path / "out.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as unfinished:
        unfinished.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe) as unfinished, unfinished.open("w") as stream:
        stream.write("through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


def test_several_files_appear_together(tmp_path):
    targets = [tmp_path / "a.txt", tmp_path / "b.txt"]
    with replacing_together(targets) as unfinished:
        for path in unfinished:
            path.write_text("new")
        assert not any(target.exists() for target in targets)
    assert [target.read_text() for target in targets] == ["new", "new"]


@pytest.mark.parametrize("failing", [0, 1])
def test_one_failure_leaves_all_of_them(tmp_path, failing):
    targets = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for target in targets:
        target.write_text("old")
    with (
        pytest.raises(OSError, match="disk full"),
        replacing_together(targets) as unfinished,
    ):
        for path in unfinished[: failing + 1]:
            path.write_text("new")
        raise OSError("disk full")
    assert [target.read_text() for target in targets] == ["old", "old"]
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path):
    target = tmp_path / "no" / "file.txt"
    with pytest.raises(FileNotFoundError) as caught, replacing(target):
        pass
    assert caught.value.filename == str(target)


def test_a_long_name(tmp_path):
    target = tmp_path / ("n" * 240 + ".txt")
    with replacing(target) as unfinished:
        unfinished.write_text("new")
    assert target.read_text() == "new"
