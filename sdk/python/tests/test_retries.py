import os
import unittest
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Optional, Tuple
from unittest.mock import patch

import httpx
from millrace import ConnectionError, MillraceError, TimeoutError, UNSET, UnauthorizedError
from millrace._operation import Operation, Request, settings_of
from millrace._retries import LONGEST_PAUSE, pause_before, retry_after_of

SETTINGS = settings_of("http://api.example/", "bt_live_secret", 5, 2)
READ = Operation[object]("things.read", "GET", "/things/{thingId}")
WRITE = Operation[object]("things.create", "POST", "/things", body=True)
KEYED = replace(WRITE, idempotent=True)
LOST = httpx.ReadError("lost")
REFUSED = httpx.ConnectError("refused")


def request(operation: Operation[object], **fields: object) -> "Request[object]":
    return Request(SETTINGS, operation, ("a/b ü",) if "{" in operation.path else (), fields)


def request_settings(base_url: Optional[str], api_key: Optional[str]) -> Tuple[str, Optional[str]]:
    settings = settings_of(base_url, api_key, 5, 2)
    return settings.base_url, settings.api_key


class Retries(unittest.TestCase):
    def test_which_answers_are_followed_by_another_try(self) -> None:
        for operation, again in ((READ, (429, 500, 502, 503, 504)), (KEYED, (429, 500, 502, 503, 504)), (WRITE, (429, 503))):
            for status in (200, 400, 401, 403, 404, 409, 413, 429, 500, 501, 502, 503, 504):
                pause = request(operation).answered(status, {})
                self.assertEqual(pause is not None, status in again, f"{operation.verb} {operation.idempotent} {status}")

    def test_what_may_have_been_carried_out_is_not_sent_again(self) -> None:
        with self.assertRaises(ConnectionError):
            request(WRITE).failed(LOST)
        with self.assertRaises(TimeoutError):
            request(WRITE).failed(httpx.ReadTimeout("slow"))
        for harmless in (request(READ).failed(LOST), request(KEYED).failed(LOST), request(WRITE).failed(REFUSED)):
            self.assertGreaterEqual(harmless, 0)

    def test_tries_are_counted_over_answers_and_failures(self) -> None:
        one = request(KEYED)
        key = one.headers["idempotency-key"]
        one.failed(LOST)
        self.assertIsNotNone(one.answered(500, {}))
        self.assertIsNone(one.answered(500, {}))
        self.assertEqual(one.headers["idempotency-key"], key)
        self.assertNotEqual(request(KEYED).headers["idempotency-key"], key)

    def test_retry_after_is_obeyed_up_to_a_minute(self) -> None:
        self.assertTrue(7 <= (request(READ).answered(503, {"retry-after": "7"}) or 0) <= 7.25)
        self.assertIsNone(request(READ).answered(429, {"retry-after": "61"}))
        at = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30), usegmt=True)
        self.assertTrue(25 < (retry_after_of({"retry-after": at}) or 0) <= 30)
        for nonsense in ("", "soon", "-1", "1.5x", "²"):
            self.assertIsNone(retry_after_of({"retry-after": nonsense}))

    def test_pauses_grow_and_are_bounded(self) -> None:
        for attempt, most in ((1, 0.5), (2, 1.0), (3, 2.0), (50, LONGEST_PAUSE)):
            pauses = [pause_before(attempt) or 0 for _ in range(200)]
            self.assertLessEqual(max(pauses), most)
            self.assertGreater(max(pauses), most * 0.75)
            self.assertLess(min(pauses), most * 0.75)
            self.assertGreaterEqual(min(pauses), most / 2)


class Requests(unittest.TestCase):
    def test_parameters_stay_one_segment(self) -> None:
        self.assertEqual(request(READ).url, "http://api.example/things/a%2Fb%20%C3%BC")
        for name in ("", ".", ".."):
            with self.assertRaises(MillraceError):
                Request(SETTINGS, READ, (name,), {})

    def test_fields_go_where_they_belong_and_unset_ones_nowhere(self) -> None:
        read = request(READ, limit=5, deep=True, cursor=UNSET, q="a&b", none=None)
        self.assertEqual(read.url.partition("?")[2], "deep=true&limit=5&q=a%26b")
        self.assertIsNone(read.content)
        both = request(replace(WRITE, query=frozenset({"dry"})), dry=False, name=None, other=UNSET)
        self.assertEqual((both.url.partition("?")[2], both.content), ("dry=false", b'{"name": null}'))

    def test_a_key_in_the_body_stands_for_the_header(self) -> None:
        self.assertNotIn("idempotency-key", request(KEYED, idempotencyKey="mine").headers)
        given = Request(SETTINGS, KEYED, (), {"idempotencyKey": "mine"}, idempotency_key="mine")
        self.assertEqual(given.headers["idempotency-key"], "mine")

    def test_the_secret_is_in_no_text_and_goes_to_no_open_operation(self) -> None:
        self.assertNotIn("bt_live_secret", repr(SETTINGS))
        self.assertEqual(request(READ).headers["authorization"], "Bearer bt_live_secret")
        self.assertNotIn("authorization", request(replace(READ, open=True)).headers)
        for wrong in ("bt_live_\n", "bt live", "", "bt_ü"):
            with self.assertRaises(ValueError) as raised:
                settings_of("http://api.example", wrong, 5, 2)
            self.assertNotIn("bt", str(raised.exception))

    def test_settings_come_from_the_environment_and_what_is_missing_is_said(self) -> None:
        with patch.dict(os.environ, {"MILLRACE_BASE_URL": "http://api.example/base/v1/", "MILLRACE_API_KEY": "bt_live_e"}):
            self.assertEqual(request_settings(None, None), ("http://api.example/base", "bt_live_e"))
            self.assertEqual(request_settings("http://other.example", "bt_live_g"), ("http://other.example", "bt_live_g"))
        with patch.dict(os.environ, {"MILLRACE_BASE_URL": "", "MILLRACE_API_KEY": ""}):
            with self.assertRaisesRegex(ValueError, "set MILLRACE_BASE_URL"):
                request_settings(None, None)
            keyless = Request(settings_of("http://api.example", None, 5, 2), READ, ("a",), {})
            with self.assertRaisesRegex(UnauthorizedError, "needs an API key. Pass api_key, or set MILLRACE_API_KEY"):
                keyless.result(401, {}, b"{}")

    def test_settings_that_cannot_work_are_refused(self) -> None:
        for url in ("", "api.example", "ftp://api.example", "http://user:pw@api.example", "http://api.example?x=1"):
            with self.assertRaises(ValueError):
                settings_of(url, None, 5, 2)
        for timeout, retries in ((0, 2), (-1, 2), (5, -1)):
            with self.assertRaises(ValueError):
                settings_of("http://api.example", None, timeout, retries)


if __name__ == "__main__":
    unittest.main()
