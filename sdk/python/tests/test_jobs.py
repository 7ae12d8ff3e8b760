import asyncio
import base64
import hashlib
import hmac
import unittest
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any, Dict, List, Tuple

from millrace import VerifiedJob, WebhookVerificationError, jobs, verify_job, verify_job_async

SECRET = "whsec_" + base64.b64encode(b"a secret of this test, long enough").decode()
OTHER = "whsec_" + base64.b64encode(b"another secret, of no use to it").decode()
NOW = 1_767_268_800
BODY = b'{"order":17}'


def signed(body: bytes = BODY, secret: str = SECRET, **more: str) -> Dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    code = hmac.new(key, f"job-1.{NOW}.".encode() + body, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(code).decode()}"
    headers = {"Webhook-Id": "job-1", "Webhook-Timestamp": str(NOW), "Webhook-Signature": signature}
    return {**headers, "Millrace-Attempt": "2", **{name.replace("_", "-"): value for name, value in more.items()}}


class Jobs(unittest.TestCase):
    def test_a_signed_request_is_a_job(self) -> None:
        headers = signed(millrace_scheduled_for="2026-03-29T01:30:00.000Z", millrace_group="billing")
        job = jobs.verify(BODY, headers, [OTHER, SECRET], now=NOW)
        self.assertEqual((job.job_id, job.attempt, job.group), ("job-1", 2, "billing"))
        self.assertEqual(job.scheduled_for, datetime(2026, 3, 29, 1, 30, tzinfo=timezone.utc))
        self.assertEqual(job.json(), {"order": 17})
        self.assertEqual(job.text(), BODY.decode())
        plain = jobs.verify(BODY.decode(), signed(), SECRET, now=NOW)
        self.assertEqual((plain.scheduled_for, plain.group), (None, None))

    def test_other_requests_are_rejected(self) -> None:
        bad: List[Tuple[bytes, Dict[str, str], str]] = [
            (b"{}", signed(), "no valid signature"),
            (BODY, signed(secret=OTHER), "no valid signature"),
            (BODY, {}, "webhook-id"),
            (BODY, signed(Millrace_Attempt="x"), "millrace-attempt"),
            (BODY, signed(Millrace_Attempt="0"), "millrace-attempt"),
        ]
        for body, headers, because in bad:
            with self.assertRaisesRegex(WebhookVerificationError, because):
                jobs.verify(body, headers, SECRET, now=NOW)
        with self.assertRaisesRegex(WebhookVerificationError, "too old"):
            jobs.verify(BODY, signed(), SECRET, now=NOW + 301)

    def test_requests_of_frameworks(self) -> None:
        flask = SimpleNamespace(headers=signed(), get_data=lambda cache=True: BODY)
        django = SimpleNamespace(headers=signed(), body=BODY)

        async def body() -> bytes:
            return BODY

        starlette = SimpleNamespace(headers=signed(), body=body)
        for request in (flask, django):
            self.assertEqual(verify_job(request, SECRET, now=NOW).json(), {"order": 17})
        for request in (flask, django, starlette):
            self.assertEqual(self.asynchronously(request).json(), {"order": 17})
        with self.assertRaisesRegex(TypeError, "verify_job_async"):
            verify_job(starlette, SECRET, now=NOW)

    def asynchronously(self, request: Any) -> VerifiedJob:
        return asyncio.run(verify_job_async(request, SECRET, now=NOW))


if __name__ == "__main__":
    unittest.main()
