import pytest

from topofs import MissingExtraError
from topofs.errors import import_extra


def test_an_error_inside_an_installed_package_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import no_such_dependency\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency") as caught:
        import_extra("broken_package", extra="graphs", purpose="This")
    assert not isinstance(caught.value, MissingExtraError)
