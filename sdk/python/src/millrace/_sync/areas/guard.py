# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import guard as guard_types
from ..caller import Caller
from ..pages import Page


class GuardSites:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        name: str,
        origins: List[str],
        policy: guard_types.SitesCreatePolicy | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> guard_types.Site:
        """Create a site.

        Its `site_key` is public: it can ask for challenges, from pages of the origins, and nothing else.

        origins: Origins of the pages that may use the site key; clients that are no page need none
        """
        return self._caller.call(
            operations.GUARD_SITES_CREATE,
            (),
            {
                "name": name,
                "origins": origins,
                "policy": policy,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> Page[guard_types.Site]:
        """List sites, newest first.

        Returns the sites that issue challenges, with their site key and policy.

        limit: Items on a page; a page of large items may have fewer
        cursor: `next_cursor` of the page before, of the same filter
        """
        return self._caller.page(
            operations.GUARD_SITES_LIST,
            (),
            {
                "limit": limit,
                "cursor": cursor,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def read(
        self,
        site_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> guard_types.Site:
        """Read a site.

        Returns the site key, the allowed origins and the policy of the site.
        """
        return self._caller.call(
            operations.GUARD_SITES_READ,
            (site_id,),
            {},
            timeout=timeout,
        )

    def remove(
        self,
        site_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> guard_types.SitesRemoveReply:
        """Delete a site.

        With it go its key and its counts; its tokens are `unknown` from then on.
        """
        return self._caller.call(
            operations.GUARD_SITES_REMOVE,
            (site_id,),
            {},
            timeout=timeout,
        )

    def update(
        self,
        site_id: str,
        /,
        *,
        name: str | Unset = UNSET,
        origins: List[str] | Unset = UNSET,
        policy: guard_types.SitesUpdatePolicy | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> guard_types.Site:
        """Change a site.

        What is not given stays, in `policy`, too; `origins` replaces all. In force on every process within 5 seconds.

        origins: Origins of the pages that may use the site key; clients that are no page need none
        """
        return self._caller.call(
            operations.GUARD_SITES_UPDATE,
            (site_id,),
            {
                "name": name,
                "origins": origins,
                "policy": policy,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    def rotate(
        self,
        site_id: str,
        /,
        *,
        timeout: float | None = None,
    ) -> guard_types.Site:
        """Replace a site key.

        The old one ends within 5 seconds. Challenges and tokens that it has earned stay good.
        """
        return self._caller.call(
            operations.GUARD_SITES_ROTATE,
            (site_id,),
            {},
            timeout=timeout,
        )


class GuardAssess:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        action: str,
        signals: guard_types.AssessCreateSignals | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> guard_types.Assessment:
        """Judge an attempt.

        Says what is to become of an attempt and why: each reason has the weight that it adds to the score. `allow` (below 15): nothing speaks against it, a challenge would be of the lowest tier; `challenge`: of that tier; `deny` (from 90 on): none is to be had with this assessment. Signals are claims of the page, which count only against it; without any, the attempt weighs a little more. The challenge that names the assessment is judged by its signals and by the traffic of that moment.

        action: What the visitor is about to do; its token is good for nothing else
        """
        return self._caller.call(
            operations.GUARD_ASSESS_CREATE,
            (),
            {
                "action": action,
                "signals": signals,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class GuardChallenges:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        action: str,
        assessment_id: str | Unset = UNSET,
        alg: Literal["scrypt", "sha256"] | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> guard_types.ScryptChallenge | guard_types.Sha256Challenge:
        """Issue a challenge.

        With `scrypt`: for puzzle i find k of `range` numbers from `base` on (modulo 2^32) so that the first 4 bytes of scrypt(password = u16be(i) ‖ u32be(k), salt = nonce) are `check`; the answer is the SHA-256 of the other bytes of all outputs, in order. With `sha256` (no puzzle was in stock, or it was asked for; never where the site forbids it, which answers 503 with an empty stock): for i from 0 find a u32 counter c so that SHA-256(nonce ‖ u16be(i) ‖ u32be(c)) begins with `bits` zero bits; the answer is all counters, four bytes each, big-endian. Bytes are base64url without padding.

        action: What the visitor is about to do; its token is good for nothing else
        assessment_id: The assessment that asked for a challenge
        alg: `sha256` for a client that cannot do scrypt; it takes longer
        """
        return self._caller.call(
            operations.GUARD_CHALLENGES_CREATE,
            (),
            {
                "action": action,
                "assessment_id": assessment_id,
                "alg": alg,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class GuardAnswers:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def complete(
        self,
        id: str,
        /,
        *,
        answer: str,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> guard_types.Earned:
        """Answer a challenge.

        From the address and page that it was issued to, once: a wrong answer spends the challenge. The token is good for its action, once, for 300 seconds.

        answer: Bytes as base64url without padding
        """
        return self._caller.call(
            operations.GUARD_ANSWERS_COMPLETE,
            (id,),
            {
                "answer": answer,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class GuardTokens:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def verify(
        self,
        *,
        token: str,
        action: str,
        site_id: str | Unset = UNSET,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> guard_types.Verdict:
        """Verify and spend a token.

        `valid: true` exactly once. Else `reason` says why: `expired` (ask again), `replayed` (it was spent before: hostile), `action_mismatch` (it was earned for something else, and is left as it is) or `unknown`.

        token: What the page sent
        action: What the visitor is about to do; its token is good for nothing else
        site_id: Only tokens of this site are good; without it those of each of your sites are
        """
        return self._caller.call(
            operations.GUARD_TOKENS_VERIFY,
            (),
            {
                "token": token,
                "action": action,
                "site_id": site_id,
                **(extra_fields or {}),
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )


class Guard:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.sites = GuardSites(caller)
        self.assess = GuardAssess(caller)
        self.challenges = GuardChallenges(caller)
        self.answers = GuardAnswers(caller)
        self.tokens = GuardTokens(caller)
