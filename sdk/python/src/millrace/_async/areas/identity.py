# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from ... import _operations as operations
from ..._operation import UNSET, Unset
from ...types import identity as identity_types
from ..caller import AsyncCaller


class AsyncIdentityRequirements:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        product: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> identity_types.RequirementsListReply:
        """List what products ask for.

        Returns, for each product, the checks that a person must pass. Set `product` to read one product.

        product: Key of a product of the catalogue
        """
        return await self._caller.call(
            operations.IDENTITY_REQUIREMENTS_LIST,
            (),
            {
                "product": product,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncIdentityReadiness:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        product: str | Unset = UNSET,
        idp_sub: str | Unset = UNSET,
        return_to: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> identity_types.ReadinessReadReply:
        """Tell whether a subject is ready for a product, and what is next.

        Send the person to `next_step.prompt_url`: the link is signed, works once and for 30 minutes; each call gives a new one.

        product: Key of a product of the catalogue
        idp_sub: Subject identifier at your identity provider; without one the organisation itself is meant
        return_to: Where the page behind `prompt_url` leads back to
        """
        return await self._caller.call(
            operations.IDENTITY_READINESS_READ,
            (),
            {
                "product": product,
                "idp_sub": idp_sub,
                "return_to": return_to,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncIdentityStatus:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        product: str | Unset = UNSET,
        idp_sub: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> identity_types.StatusReadReply:
        """Tell what is proven of a subject.

        Returns the checks that the person has passed and the resulting level for the product.

        product: Key of a product of the catalogue
        idp_sub: Subject identifier at your identity provider; without one the organisation itself is meant
        """
        return await self._caller.call(
            operations.IDENTITY_STATUS_READ,
            (),
            {
                "product": product,
                "idp_sub": idp_sub,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncIdentityFaceMatch:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        image_a: str,
        image_b: str,
        threshold: float | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> identity_types.FaceMatchCreateReply:
        """Compare the faces of two pictures.

        The pictures are held in memory until the answer, never stored and never logged. A match is no proof that somebody is there: liveness is not checked, and decisions about people belong to people. At most 16 MiB a request.

        image_a: JPEG, PNG or WebP of one person, in base64 or as a data: URI; at most 8 MiB and 40 megapixels
        image_b: JPEG, PNG or WebP of one person, in base64 or as a data: URI; at most 8 MiB and 40 megapixels
        threshold: Distance up to which the faces match; up to 0.1 above it the answer is `inconclusive`
        """
        return await self._caller.call(
            operations.IDENTITY_FACE_MATCH_CREATE,
            (),
            {
                "image_a": image_a,
                "image_b": image_b,
                "threshold": threshold,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncIdentityChecks:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def record(
        self,
        *,
        requirement: str,
        status: Literal["verified", "rejected"],
        idp_sub: str | Unset = UNSET,
        code: str | Unset = UNSET,
        reason: str | Unset = UNSET,
        expires_at: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> identity_types.Check:
        """Record that a requirement is met, or is not.

        For a server that verifies people by means of its own; recording the same twice changes nothing more.

        requirement: Key of a requirement
        idp_sub: Subject identifier at your identity provider; without one the organisation itself is meant
        code: Why it is rejected, for programs
        reason: Why it is rejected, for the person
        expires_at: Until when it holds; by the catalogue unless said
        """
        return await self._caller.call(
            operations.IDENTITY_CHECKS_RECORD,
            (),
            {
                "requirement": requirement,
                "status": status,
                "idp_sub": idp_sub,
                "code": code,
                "reason": reason,
                "expires_at": expires_at,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncIdentityDocument:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def read(
        self,
        *,
        idp_sub: str | Unset = UNSET,
        requirement: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> identity_types.Document:
        """Tell what was read on a subject’s document.

        The machine-readable lines (ICAO 9303: TD1, TD2, TD3), and which of their checks hold. Facts for who decides, never a decision.

        idp_sub: Subject identifier at your identity provider; without one the organisation itself is meant
        requirement: Key of a requirement that asks for a document
        """
        return await self._caller.call(
            operations.IDENTITY_DOCUMENT_READ,
            (),
            {
                "idp_sub": idp_sub,
                "requirement": requirement,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )

    async def read_again(
        self,
        *,
        idp_sub: str | Unset = UNSET,
        requirement: str | Unset = UNSET,
        timeout: float | None = None,
        extra_fields: Mapping[str, Any] | None = None,
    ) -> identity_types.Document:
        """Have a subject’s document read anew.

        As after the reader was installed, or for a document that was handed in before there was one.

        idp_sub: Subject identifier at your identity provider; without one the organisation itself is meant
        requirement: Key of a requirement that asks for a document
        """
        return await self._caller.call(
            operations.IDENTITY_DOCUMENT_READAGAIN,
            (),
            {
                "idp_sub": idp_sub,
                "requirement": requirement,
                **(extra_fields or {}),
            },
            timeout=timeout,
        )


class AsyncIdentity:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.requirements = AsyncIdentityRequirements(caller)
        self.readiness = AsyncIdentityReadiness(caller)
        self.status = AsyncIdentityStatus(caller)
        self.face_match = AsyncIdentityFaceMatch(caller)
        self.checks = AsyncIdentityChecks(caller)
        self.document = AsyncIdentityDocument(caller)
