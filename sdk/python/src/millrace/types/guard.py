# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, NotRequired, TypedDict


class Site(TypedDict):
    id: str
    name: str
    site_key: str
    """A public key: pages carry it"""
    origins: List[str]
    policy: SitePolicy
    created_at: str


class SitePolicy(TypedDict):
    min_tier: Literal["low", "normal", "high", "extreme"]
    max_tier: Literal["low", "normal", "high", "extreme"]
    noscript: bool
    sha256: bool
    rate_per_minute: int


class Assessment(TypedDict):
    assessment_id: str
    decision: Literal["allow", "challenge", "deny"]
    tier: Literal["low", "normal", "high", "extreme"] | None
    """Null when it is denied"""
    score: int
    reasons: List[AssessmentReasonsItem]
    """The heaviest first"""
    expires_at: str


class AssessmentReasonsItem(TypedDict):
    code: str
    weight: int
    detail: str


class ScryptChallenge(TypedDict):
    id: str
    tier: Literal["low", "normal", "high", "extreme"]
    """How hard it is"""
    action: str
    issued_at: str
    expires_at: str
    """Until when it may be answered"""
    alg: Literal["scrypt"]
    n: Literal[1024]
    r: Literal[8]
    p: Literal[1]
    key_length: Literal[32]
    nonce: str
    """The salt"""
    puzzles: List[ScryptChallengePuzzlesItem]
    range: int
    """How many numbers there are to try, from `base` on, modulo 2^32"""


class ScryptChallengePuzzlesItem(TypedDict):
    check: str
    """How the output begins"""
    base: int
    """Where the numbers to try begin"""


class Sha256Challenge(TypedDict):
    id: str
    tier: Literal["low", "normal", "high", "extreme"]
    """How hard it is"""
    action: str
    issued_at: str
    expires_at: str
    """Until when it may be answered"""
    alg: Literal["sha256"]
    nonce: str
    count: int
    """How many counters are to be found"""
    bits: int
    """How many zero bits each hash begins with"""


class Earned(TypedDict):
    token: str
    action: str
    tier: Literal["low", "normal", "high", "extreme"]
    expires_at: str


class Verdict(TypedDict):
    valid: bool
    reason: NotRequired[Literal["unknown", "action_mismatch", "replayed", "expired"]]
    """Why it is not valid"""
    action: str | None
    """What it was earned for"""
    hostname: str | None
    """Host of the page that earned it; null for a client that is no page"""
    issued_at: str | None
    solve_ms: int | None
    """From the challenge to its answer, in milliseconds"""
    tier: Literal["noscript", "low", "normal", "high", "extreme"] | None
    """What it was earned by"""


class SitesCreatePolicy(TypedDict):
    min_tier: NotRequired[Literal["low", "normal", "high", "extreme"]]
    """What every visitor has to solve"""
    max_tier: NotRequired[Literal["low", "normal", "high", "extreme"]]
    """What no visitor has to solve more than"""
    noscript: NotRequired[bool]
    """Whether visitors without JavaScript may wait instead"""
    sha256: NotRequired[bool]
    """Whether clients may ask for SHA-256, in which native code is far ahead of pages"""
    rate_per_minute: NotRequired[int]
    """Challenges to one address a minute from which on they get harder"""


class SitesRemoveReply(TypedDict):
    id: str
    deleted: Literal[True]


class SitesUpdatePolicy(TypedDict):
    min_tier: NotRequired[Literal["low", "normal", "high", "extreme"]]
    """What every visitor has to solve"""
    max_tier: NotRequired[Literal["low", "normal", "high", "extreme"]]
    """What no visitor has to solve more than"""
    noscript: NotRequired[bool]
    """Whether visitors without JavaScript may wait instead"""
    sha256: NotRequired[bool]
    """Whether clients may ask for SHA-256, in which native code is far ahead of pages"""
    rate_per_minute: NotRequired[int]
    """Challenges to one address a minute from which on they get harder"""


class AssessCreateSignals(TypedDict):
    webdriver: NotRequired[bool]
    languages: NotRequired[int]
    interactions: NotRequired[int]
    ms_on_page: NotRequired[int]
    touch: NotRequired[bool]
