"""Generates the blocking client before each build, so that `pip install ./sdk/python` works from a checkout."""

import runpy
from pathlib import Path

from setuptools import setup

runpy.run_path(str(Path(__file__).with_name("blocking.py")), run_name="__main__")
setup()
