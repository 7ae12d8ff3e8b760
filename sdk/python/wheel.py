"""Builds the wheel of the client in a folder. Needs only the standard library, so it works without a network."""

import base64
import hashlib
import runpy
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
#: The same time for each file, so that the same sources give the same wheel.
TIME = (2020, 1, 1, 0, 0, 0)


def metadata(project: dict, version: str) -> str:
    """Returns the core metadata of the package (PEP 566)."""
    facts = [
        ("Metadata-Version", "2.1"),
        ("Name", project["name"]),
        ("Version", version),
        ("Summary", project["description"]),
        ("License", project["license"]["text"]),
        ("Keywords", ",".join(project["keywords"])),
        *(("Classifier", one) for one in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
        *(("Requires-Dist", one) for one in project["dependencies"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    lines = "".join(f"{name}: {value}\n" for name, value in facts)
    return f"{lines}\n{(ROOT / 'README.md').read_text()}"


def build(folder: Path) -> Path:
    """Writes the wheel and returns its path."""
    runpy.run_path(str(ROOT / "blocking.py"), run_name="__main__")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name = project["name"]
    version = runpy.run_path(str(ROOT / "src" / name / "_version.py"))["__version__"]
    info = f"{name}-{version}.dist-info"
    source = ROOT / "src"
    files = {
        str(path.relative_to(source)): path.read_bytes()
        for path in sorted((source / name).rglob("*"))
        if path.suffix == ".py" or path.name == "py.typed"
    }
    tags = "Wheel-Version: 1.0\nGenerator: millrace\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/METADATA"] = metadata(project, version).encode()
    files[f"{info}/WHEEL"] = tags.encode()
    files[f"{info}/top_level.txt"] = f"{name}\n".encode()
    record = "".join(f"{path},sha256={digest(text)},{len(text)}\n" for path, text in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path, TIME), text, zipfile.ZIP_DEFLATED)
    return wheel


def digest(text: bytes) -> str:
    """Returns the hash of a file as the list of files contains it."""
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build(Path(sys.argv[1])).name)
