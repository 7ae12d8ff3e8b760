"""URL and keys of the API, from the environment or from the file that `npm start` writes, .data/dev.json."""

import json
import os
from pathlib import Path
from typing import Any, Dict

FILE = Path(os.environ.get("MILLRACE_DEV", ".data/dev.json"))


def dev() -> Dict[str, Any]:
    """Returns the content of dev.json."""
    facts: Dict[str, Any] = json.loads(FILE.read_text())
    return facts


def base_url() -> str:
    """Returns the URL of the API."""
    return os.environ.get("MILLRACE_BASE_URL") or str(dev()["base_url"])


def api_key(name: str) -> str:
    """Returns a key by its name in dev.json."""
    return os.environ.get("MILLRACE_API_KEY") or str(dev()["keys"][name])
