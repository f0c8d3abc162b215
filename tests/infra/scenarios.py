"""The settings under which the templates are looked at."""

import json
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCENARIOS: dict[str, dict[str, str]] = json.loads((HERE / "scenarios.json").read_text())
