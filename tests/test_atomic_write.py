import errno
import os
import threading
from pathlib import Path

import pytest

from tests.platforms import posix
from topofs.io import write as atomic_write
from topofs.io.write import (
    NotPutBackError,
    remove_temporary,
    replacing,
    replacing_together,
    temporary_folder,
)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(OSError, match="disk full"), replacing(target) as unfinished:
        unfinished.write_text("ne", encoding="utf-8")
        raise OSError("disk full")
    assert target.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


@posix
def test_the_new_file_has_ordinary_permissions_and_the_replaced_one_keeps_its_own(tmp_path):
    target, ordinary = tmp_path / "out.txt", tmp_path / "ordinary.txt"
    ordinary.touch()
    with replacing(target) as unfinished:
        unfinished.write_text("new", encoding="utf-8")
    assert target.stat().st_mode == ordinary.stat().st_mode
    target.chmod(0o600)
    with replacing(target) as unfinished:
        unfinished.write_text("newer", encoding="utf-8")
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.read_text(encoding="utf-8") == "newer"


@posix
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_that_the_umask_gives(tmp_path, umask):
    before = os.umask(umask)
    try:
        with replacing(tmp_path / "out.txt") as unfinished:
            unfinished.write_text("new", encoding="utf-8")
    finally:
        os.umask(before)
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o666 & ~umask


def test_the_umask_is_never_changed(tmp_path, monkeypatch):
    """It is one for all threads."""
    monkeypatch.setattr(atomic_write.os, "umask", None)
    with replacing(tmp_path / "out.txt") as unfinished:
        unfinished.write_text("new", encoding="utf-8")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "new"


@posix
def test_what_replaces_a_private_file_is_private_from_the_start(tmp_path):
    target = tmp_path / "out.txt"
    target.touch(mode=0o600)
    with replacing(target) as unfinished:
        assert unfinished.stat().st_mode & 0o777 == 0o600


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="give the name of a file"), replacing(tmp_path):
        pass


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "no" / "file.txt"):
        pass


@posix
def test_a_link_is_followed(tmp_path):
    target, link = tmp_path / "out.txt", tmp_path / "link.txt"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    with replacing(link) as unfinished:
        unfinished.write_text("new", encoding="utf-8")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"


@posix
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe) as unfinished, unfinished.open("w", encoding="utf-8") as stream:
        stream.write("through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


def test_several_files_appear_together(tmp_path):
    targets = [tmp_path / "a.txt", tmp_path / "b.txt"]
    with replacing_together(targets) as unfinished:
        for path in unfinished:
            path.write_text("new", encoding="utf-8")
        assert not any(target.exists() for target in targets)
    assert [target.read_text(encoding="utf-8") for target in targets] == ["new", "new"]


@pytest.mark.parametrize("failing", [0, 1])
def test_one_failure_leaves_all_of_them(tmp_path, failing):
    targets = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for target in targets:
        target.write_text("old", encoding="utf-8")
    with (
        pytest.raises(OSError, match="disk full"),
        replacing_together(targets) as unfinished,
    ):
        for path in unfinished[: failing + 1]:
            path.write_text("new", encoding="utf-8")
        raise OSError("disk full")
    assert [target.read_text(encoding="utf-8") for target in targets] == ["old", "old"]
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]


def refusing(monkeypatch, *names):
    """Let os.replace fail for some targets."""
    real = os.replace

    def replace(source, target):
        if os.path.basename(target) in names:  # noqa: PTH119
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(source))
        real(source, target)

    monkeypatch.setattr(atomic_write.os, "replace", replace)


def write_new(targets):
    with replacing_together(targets) as unfinished:
        for path in unfinished:
            path.write_text("new", encoding="utf-8")


@posix
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("failing", ["a.txt", "b.txt", "c.txt"])
def test_a_move_that_fails_undoes_those_before_it(tmp_path, monkeypatch, failing, links):
    targets = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    targets[0].write_text("old a", encoding="utf-8")
    targets[2].write_text("old c", encoding="utf-8")
    targets[0].chmod(0o640)
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    refusing(monkeypatch, failing)
    with pytest.raises(OSError, match="Input/output error") as caught:
        write_new(targets)
    assert caught.value.filename == str(tmp_path / failing)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        "a.txt": "old a",
        "c.txt": "old c",
    }
    assert targets[0].stat().st_mode & 0o777 == 0o640


@posix
def test_a_read_only_file_leaves_nothing_temporary_where_it_cannot_be_replaced(
    tmp_path, monkeypatch
):
    """Windows removes no read-only file; here `unlink` refuses to as well."""
    targets = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in targets:
        path.write_text("old", encoding="utf-8")
        path.chmod(0o444)
    real = Path.unlink

    def unlink(path, missing_ok=False):
        if path.exists() and not path.stat().st_mode & 0o200:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        real(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    refusing(monkeypatch, "b.txt")
    with pytest.raises(OSError, match="Input/output error"):
        write_new(targets)
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]
    assert [path.read_text(encoding="utf-8") for path in targets] == ["old", "old"]


def no_links(*_):
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def test_nothing_is_left_beside_files_that_were_replaced(tmp_path):
    targets = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    targets[0].write_text("old", encoding="utf-8")
    targets[2].write_text("old", encoding="utf-8")
    write_new(targets)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        path.name: "new" for path in targets
    }
    assert all(path.stat().st_nlink == 1 for path in targets)


def test_an_old_file_that_cannot_be_copied_is_not_replaced(tmp_path, monkeypatch):
    def full(_, to):
        Path(to).write_text("ol", encoding="utf-8")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to))

    targets = [tmp_path / "a.txt", tmp_path / "b.txt"]
    targets[0].write_text("old", encoding="utf-8")
    monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(atomic_write.shutil, "copy2", full)
    with pytest.raises(OSError, match="No space left"):
        write_new(targets)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        "a.txt": "old"
    }


@pytest.mark.parametrize("there_before", [True, False])
def test_what_cannot_be_put_back_is_said_and_kept(tmp_path, monkeypatch, there_before):
    targets = [tmp_path / "a.txt", tmp_path / "b.txt"]
    if there_before:
        targets[0].write_text("old", encoding="utf-8")
    real = os.replace

    def fail_after_the_first(source, target):
        if targets[0].exists() and targets[0].read_text(encoding="utf-8") == "new":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(source))
        real(source, target)

    def refuse(*_, **__):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(atomic_write.os, "replace", fail_after_the_first)
    if not there_before:
        monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(NotPutBackError, match="a.txt: was replaced and cannot") as caught:
        write_new(targets)
    monkeypatch.undo()
    if there_before:
        old = Path(str(caught.value).partition("the old one is ")[2])
        assert (old.parent, old.read_text(encoding="utf-8")) == (tmp_path, "old")
    else:
        assert "there was none before" in str(caught.value)


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path):
    target = tmp_path / "no" / "file.txt"
    with pytest.raises(FileNotFoundError) as caught, replacing(target):
        pass
    assert caught.value.filename == str(target)


def test_a_long_name(tmp_path):
    target = tmp_path / ("n" * 240 + ".txt")
    with replacing(target) as unfinished:
        unfinished.write_text("new", encoding="utf-8")
    assert target.read_text(encoding="utf-8") == "new"


@pytest.fixture
def not_moving(monkeypatch):
    """The lock is kept to the end of the process; here the process goes on."""
    monkeypatch.setattr(atomic_write, "_moving", threading.Lock())


@pytest.mark.usefixtures("not_moving")
def test_a_process_that_ends_at_once_leaves_nothing_temporary(tmp_path):
    with replacing(tmp_path / "o.txt") as unfinished, temporary_folder() as folder:
        unfinished.write_text("half", encoding="utf-8")
        (folder / "table").write_text("a,b", encoding="utf-8")
        remove_temporary()
        assert not unfinished.exists()
        assert not folder.exists()
        folder.mkdir()
        unfinished.write_text("whole", encoding="utf-8")
        atomic_write._moving.release()
    assert os.listdir(tmp_path) == ["o.txt"]


@pytest.mark.usefixtures("not_moving")
def test_files_on_their_way_arrive_before_the_process_ends(tmp_path, monkeypatch):
    """They are put back together, too: the second file cannot be moved."""
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("old", encoding="utf-8")
    moves, replace = [], os.replace

    def move(source, target):
        moves.append(target)
        if len(moves) == 1:
            ending.start()
            ending.join(0.1)
            assert ending.is_alive()
        if len(moves) == 2:
            raise OSError(errno.EIO, "no", str(target))
        replace(source, target)

    ending = threading.Thread(target=remove_temporary)
    monkeypatch.setattr(os, "replace", move)
    with pytest.raises(OSError, match="no"), replacing_together([one, two]) as unfinished:
        for path in unfinished:
            path.write_text("new", encoding="utf-8")
    ending.join()
    assert one.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["one.txt"]
