"""What goes into the packages: the list of explorer.spec, the entries for the desktop, the versions."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from configparser import ConfigParser
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from explorer import __version__
from explorer.files import whole_file
from explorer.lessons.own_lessons import BUNDLE

ROOT = Path(__file__).parents[1]
PACKAGING = ROOT / "packaging"
METAINFO = PACKAGING / "linux/transformer-explorer.metainfo.xml"


@pytest.fixture
def script(monkeypatch):
    """A script of packaging/, imported as it imports the others."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    before = set(sys.modules)
    yield __import__
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == PACKAGING:
            del sys.modules[name]


def bundle_lists():
    """The lists and the rule of explorer.spec by name, without PyInstaller, which alone can run the whole of it."""
    whole = ast.parse((PACKAGING / "explorer.spec").read_text("utf-8"))
    wanted = {"LIBRARIES", "PLUGINS", "SYSTEM", "EXCLUDED", "DATA", "kept"}
    parts = [
        node
        for node in whole.body
        if (isinstance(node, ast.FunctionDef) and node.name in wanted)
        or (isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in wanted)
    ]
    found = {"re": re, "sys": sys, "Path": Path}
    exec(compile(ast.Module(parts, []), "explorer.spec", "exec"), found)
    assert wanted <= set(found)
    return found


spec = pytest.fixture(scope="module")(bundle_lists)


@pytest.mark.parametrize(
    ("name", "source", "kept"),
    [
        ("PySide6/Qt/lib/libQt6Core.so.6", "/venv/PySide6/Qt/lib/libQt6Core.so.6", True),
        ("PySide6/Qt/lib/libQt6Quick.so.6", "/venv/PySide6/Qt/lib/libQt6Quick.so.6", False),
        ("PySide6/Qt6Core.dll", "C:/venv/PySide6/Qt6Core.dll", True),
        ("PySide6/Qt6Qml.dll", "C:/venv/PySide6/Qt6Qml.dll", False),
        ("PySide6/opengl32sw.dll", "C:/venv/PySide6/opengl32sw.dll", False),
        ("PySide6/Qt/lib/QtGui.framework/Versions/A/QtGui", "/venv/QtGui", True),
        ("PySide6/Qt/lib/QtQml.framework/Versions/A/QtQml", "/venv/QtQml", False),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", "/venv/libqxcb.so", True),
        ("PySide6/plugins/platforms/qwindows.dll", "C:/venv/qwindows.dll", True),
        ("PySide6/Qt/plugins/platforms/libqvnc.so", "/venv/libqvnc.so", False),
        ("PySide6/Qt/plugins/sqldrivers/libqsqlite.so", "/venv/libqsqlite.so", False),
        ("PySide6/Qt/translations/qtbase_de.qm", "/venv/qtbase_de.qm", False),
        ("numpy/_core/_multiarray_umath.so", "/venv/_multiarray_umath.so", True),
        ("scipy.libs/libscipy_openblas-1.so", "/venv/scipy.libs/libscipy_openblas-1.so", True),
    ],
)
def test_of_qt_only_what_is_listed_is_kept(spec, name, source, kept):
    assert spec["kept"](name, source) is kept


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other libraries")
def test_of_linux_only_what_a_desktop_may_lack_is_kept(spec):
    kept = spec["kept"]
    assert kept("libxcb-cursor.so.0", "/usr/lib/x86_64-linux-gnu/libxcb-cursor.so.0")
    assert not kept("libstdc++.so.6", "/lib/x86_64-linux-gnu/libstdc++.so.6")
    assert not kept("libgtk-3.so.0", "/usr/lib/x86_64-linux-gnu/libgtk-3.so.0")
    assert kept("libpython3.13.so.1.0", "/usr/local/lib/libpython3.13.so.1.0")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other files")
def test_what_the_list_keeps_is_there(spec):
    from PySide6 import __file__ as pyside

    qt = Path(pyside).parent / "Qt"
    libraries = {re.match(r"lib(?:Qt6)?(\w+)\.so", file.name)[1] for file in (qt / "lib").glob("lib*.so*")}
    assert spec["LIBRARIES"] - libraries == set()
    plugins = {f"{file.parent.name}/{file.stem.removeprefix('lib')}" for file in (qt / "plugins").rglob("*.so")}
    elsewhere = {"platforms/qcocoa", "platforms/qwindows", "styles/qmacstyle", "styles/qmodernwindowsstyle"}
    assert {f"{kind}/{name}" for kind, names in spec["PLUGINS"].items() for name in names} - plugins == elsewhere


def test_nothing_that_the_program_needs_is_left_out(spec):
    left_out = re.compile(rf"\b({'|'.join(out.rpartition('.')[2] for out in spec['EXCLUDED'])})\b")
    texts = (file.read_text("utf-8") for file in (ROOT / "explorer").rglob("*.py"))
    needed = {
        node.names[0].name if isinstance(node, ast.Import) else node.module
        for text in texts
        if left_out.search(text)  # a tenth of the files: to parse all of them takes two seconds
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom) and (isinstance(node, ast.Import) or node.module)
    }
    assert {name for name in needed if any(f"{name}.".startswith(f"{out}.") for out in spec["EXCLUDED"])} == set()


class TestVersions:
    def test_constraints_name_one_version_of_everything_that_is_asked_for(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        asked = [*project["dependencies"], *project["optional-dependencies"]["dev"], "pyinstaller"]
        names = {re.match(r"[\w-]+", line)[0].lower().replace("_", "-") for line in asked}
        lines = [line for line in (PACKAGING / "constraints.txt").read_text("utf-8").splitlines() if line[0] != "#"]
        assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; python_version .+)?", line)] == []
        assert names - {line.partition("==")[0] for line in lines} == set()

    def test_the_tests_run_with_these_versions(self):
        others = []
        for line in (PACKAGING / "constraints.txt").read_text("utf-8").splitlines():
            if line.startswith("#") or ";" in line:
                continue
            name, wanted = line.split("==")
            try:
                others += [f"{name} {version(name)}"] if version(name) != wanted and name != "setuptools" else []
            except PackageNotFoundError:  # what only the packages need
                continue
        assert others == []

    def test_the_conditions_of_constraints(self, script):
        raising = script("raise_constraints")
        versions = {"3.11": {"a": "1", "b": "1"}, "3.12": {"a": "1", "b": "2"}, "3.13": {"a": "1", "b": "2"}}
        assert raising.written(versions).splitlines()[-3:] == [
            "a==1",
            'b==1 ; python_version <= "3.11"',
            'b==2 ; python_version >= "3.12"',
        ]

    def test_the_version_of_the_program_is_in_one_place(self, script):
        assert script("build").version() == __version__
        files = [ROOT / "pyproject.toml", ROOT / "Makefile", *(p for p in PACKAGING.rglob("*") if p.is_file())]
        texts = {
            file.name: file.read_bytes() for file in files if file.suffix != ".pyc" and file.name != "constraints.txt"
        }
        assert [name for name, text in texts.items() if f'"{__version__}"'.encode() in text] == []


class TestDesktop:
    def test_types_of_files_are_the_same_everywhere(self):
        entry = ConfigParser(interpolation=None)
        entry.read(ROOT / "resources/desktop/transformer-explorer.desktop", "utf-8")
        opened = set(entry["Desktop Entry"]["MimeType"].strip(";").split(";"))
        kinds = ElementTree.parse(ROOT / "resources/desktop/transformer-explorer.xml").getroot()
        assert opened == {kind.get("type") for kind in kinds}
        assert opened == {one.text for one in ElementTree.parse(METAINFO).iter("mediatype")}

    def test_a_double_click_opens_lessons_in_one_file_and_no_other_zip(self):
        installer = (PACKAGING / "windows/setup.iss").read_text("utf-8")
        assert f'"Software\\Classes\\{BUNDLE}"' in installer
        assert '"Software\\Classes\\.zip"' not in installer  # only OpenWithProgids: offered, never the usual one
        spec = (PACKAGING / "explorer.spec").read_text("utf-8")
        assert f'"{BUNDLE[1:]}", "Owner"' in spec
        assert '"zip", "Alternate"' in spec

    @pytest.mark.skipif(not shutil.which("desktop-file-validate"), reason="needs desktop-file-utils")
    def test_entry_is_valid(self):
        done = subprocess.run(
            ["desktop-file-validate", ROOT / "resources/desktop/transformer-explorer.desktop"],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (0, "")

    @pytest.mark.skipif(not shutil.which("appstreamcli"), reason="needs appstream")
    def test_metadata_are_valid(self, tmp_path):
        file = tmp_path / METAINFO.name
        with whole_file(file) as stream:
            text = METAINFO.read_text("utf-8").replace("@version@", "1.0").replace("@date@", "2026-01-01")
            stream.write(text.encode())
        # The project has no domain of its own to be named after.
        command = ["appstreamcli", "validate", "--no-net", "--override=cid-desktopapp-is-not-rdns=info", file]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout

    def test_man_page_takes_every_line_literally(self, script):
        debian = script("debian")
        assert debian._plain(".B\n'x' a-b\\n") == "\\&.B\n\\&\\(aqx\\(aq a\\-b\\en\n"
