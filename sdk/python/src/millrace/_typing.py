"""Types that Python 3.9 and 3.10 do not have."""

import sys

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypeAlias, TypedDict, TypeGuard
else:
    from typing_extensions import NotRequired, TypeAlias, TypedDict, TypeGuard

__all__ = ["NotRequired", "TypeAlias", "TypeGuard", "TypedDict"]
