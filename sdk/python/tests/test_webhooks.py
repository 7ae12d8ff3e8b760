import base64
import hashlib
import hmac
import unittest
from typing import Dict

from millrace import WebhookVerificationError, webhooks

SECRET = "whsec_" + base64.b64encode(b"a secret of this test, long enough").decode()
OTHER = "whsec_" + base64.b64encode(b"another secret, of no use to it").decode()
NOW = 1_767_268_800
BODY = '{"type":"push.delivered","data":{"title":"Grüße"}}'


def signed(body: str = BODY, secret: str = SECRET, at: int = NOW) -> Dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    code = hmac.new(key, f"evt_1.{at}.{body}".encode(), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(code).decode()}"
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(at), "Webhook-Signature": signature}


class Webhooks(unittest.TestCase):
    def refused(self, body: str, headers: Dict[str, str], because: str, now: float = NOW) -> None:
        with self.assertRaisesRegex(WebhookVerificationError, because):
            webhooks.verify(body, headers, SECRET, now=now)

    def test_what_is_signed_is_believed(self) -> None:
        event = webhooks.verify(BODY.encode(), signed(), SECRET, now=NOW)
        self.assertEqual(event["data"]["title"], "Grüße")
        self.assertEqual(webhooks.verify(BODY, signed(), [OTHER, SECRET], now=NOW), event)
        both = {**signed(), "Webhook-Signature": f"v1a,xx v1,=== {signed()['Webhook-Signature']}"}
        self.assertEqual(webhooks.verify(BODY, both, SECRET, now=NOW), event)

    def test_what_is_not_is_refused(self) -> None:
        self.refused(BODY.replace("ü", "u"), signed(), "no valid signature")
        self.refused(BODY, signed(secret=OTHER), "no valid signature")
        self.refused(BODY, {**signed(), "Webhook-Id": "evt_2"}, "no valid signature")
        self.refused(BODY, {**signed(), "Webhook-Signature": "v1,"}, "no valid signature")
        self.refused(BODY, {}, "webhook-id, webhook-timestamp, webhook-signature")
        self.refused(BODY, {**signed(), "Webhook-Timestamp": "now"}, "number")
        self.refused("[", signed(body="["), "JSON")

    def test_it_must_be_of_now(self) -> None:
        for age in (-300, 0, 300):
            webhooks.verify(BODY, signed(), SECRET, now=NOW + age)
        self.refused(BODY, signed(), "old", NOW + 301)
        self.refused(BODY, signed(), "future", NOW - 301)

    def test_a_secret_that_is_none_is_the_callers_fault(self) -> None:
        for secret in ("", "whsec_", "whsec_%%"):
            with self.assertRaises(ValueError):
                webhooks.verify(BODY, signed(), secret, now=NOW)


if __name__ == "__main__":
    unittest.main()
