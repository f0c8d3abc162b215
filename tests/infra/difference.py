"""Where two values differ."""


def differences(first, second, path: str = "") -> list[str]:
    """A line for each place, with both values."""
    if isinstance(first, dict) and isinstance(second, dict):
        lines = []
        for key in sorted(first.keys() | second.keys()):
            where = f"{path}/{key}"
            if key not in first:
                lines.append(f"{where}: only in the second: {second[key]!r}")
            elif key not in second:
                lines.append(f"{where}: only in the first: {first[key]!r}")
            else:
                lines.extend(differences(first[key], second[key], where))
        return lines
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        pairs = enumerate(zip(first, second, strict=True))
        return [line for index, (one, other) in pairs for line in differences(one, other, f"{path}/{index}")]
    return [] if first == second else [f"{path}: {first!r} is not {second!r}"]
