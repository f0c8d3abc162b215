"""What the Rust code says about itself, read from its source. What is not found is an error, so that a file that moves
does not turn a check into one that always holds."""

import re

from scenarios import ROOT


def source(path: str) -> str:
    """A file, or all files under a folder, without unit tests."""
    place = ROOT / path
    files = sorted(place.rglob("*.rs")) if place.is_dir() else [place]
    return "\n".join(file.read_text().split("#[cfg(test)]")[0] for file in files)


def found(pattern: str, path: str) -> list[str]:
    """All matches, at least one."""
    matches = re.findall(pattern, source(path))
    assert matches, f"{path} has nothing like {pattern}"
    return matches


def constant(name: str, path: str) -> str:
    """A text constant."""
    value, = found(rf'const {name}: &str = "([^"]*)"', path)
    return value
