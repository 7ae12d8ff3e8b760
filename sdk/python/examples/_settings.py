"""Where the service is, and its keys: what `npm start` has written to .data/dev.json, or what the environment says."""

import json
import os
from pathlib import Path
from typing import Any, Dict

FILE = Path(os.environ.get("MILLRACE_DEV", ".data/dev.json"))


def dev() -> Dict[str, Any]:
    """All that `npm start` has written down."""
    facts: Dict[str, Any] = json.loads(FILE.read_text())
    return facts


def base_url() -> str:
    """Where the service is."""
    return os.environ.get("MILLRACE_BASE_URL") or str(dev()["base_url"])


def api_key(name: str) -> str:
    """A key by the name that it has in dev.json."""
    return os.environ.get("MILLRACE_API_KEY") or str(dev()["keys"][name])
