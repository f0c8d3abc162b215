"""A tool that fails."""


def handler(_event, _context):
    raise RuntimeError("the archive is closed")
