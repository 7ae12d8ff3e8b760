import copy
import json
import unittest
from typing import Any, List

import httpx
from millrace import Millrace, Model, RateLimitedError, response_of
from millrace._model import read_json


def answer(request: httpx.Request) -> httpx.Response:
    answer.attempts += 1  # type: ignore[attr-defined]
    headers = {"x-request-id": f"req-{answer.attempts}"}  # type: ignore[attr-defined]
    if answer.attempts == 1:  # type: ignore[attr-defined]
        return httpx.Response(503, headers={**headers, "retry-after": "0"}, json={})
    page = {"data": [{"id": "one", "name": "Shop", "items": [1], "from": "a"}], "next_cursor": None}
    return httpx.Response(200, headers=headers, json=page if request.url.path.endswith("apps") else page["data"][0])


class Responses(unittest.TestCase):
    def setUp(self) -> None:
        answer.attempts = 0  # type: ignore[attr-defined]
        self.seen: List[Any] = []
        hook = self.seen.append
        self.client = Millrace(
            base_url="http://api.example",
            api_key="bt_live_secret",
            transport=httpx.MockTransport(answer),
            on_request=hook,
            on_response=hook,
            on_retry=hook,
        )

    def test_an_object_has_attributes_and_stays_a_dictionary(self) -> None:
        app = self.client.push.get_app("one")
        self.assertEqual((app.id, app["id"], app.get("name")), ("one", "one", "Shop"))
        one: Any = app
        self.assertEqual((one.from_, one.items_), ("a", [1]))
        self.assertEqual(json.loads(json.dumps(app)), dict(app))
        self.assertEqual(copy.deepcopy(app), app)
        with self.assertRaisesRegex(AttributeError, "no field colour. Its fields are: id, name"):
            one.colour
        self.assertFalse(hasattr(one, "colour"))
        self.assertIsNone(one.upload_token, "a field that responses can omit")

    def test_integers_stay_exact(self) -> None:
        self.assertEqual(read_json(b'{"a": {"n": 12345678901234567890}}').a.n, 12345678901234567890)

    def test_a_result_has_its_response(self) -> None:
        self.assertEqual(response_of(self.client.push.get_app("one")).request_id, "req-2")
        page = self.client.push.list_apps()
        self.assertEqual((response_of(page).status, response_of(page).headers["X-Request-Id"]), (200, "req-3"))
        with self.assertRaises(ValueError):
            response_of(Model(a=1))

    def test_hooks_receive_each_attempt_without_secrets(self) -> None:
        self.client.push.get_app("one")
        kinds = [type(one).__name__ for one in self.seen]
        self.assertEqual(kinds, ["RequestInfo", "ResponseInfo", "RetryInfo", "RequestInfo", "ResponseInfo"])
        first, _, retry, _, last = self.seen
        self.assertEqual((first.method, first.path, first.attempt), ("GET", "/push/v1/apps/one", 1))
        self.assertEqual((retry.status, last.status, last.request_id, last.attempt), (503, 200, "req-2", 2))
        self.assertNotIn("bt_live_secret", repr(self.seen))

    def test_an_exception_of_a_hook_is_raised(self) -> None:
        def fail(_: object) -> None:
            raise ZeroDivisionError

        transport = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
        client = Millrace(base_url="http://api.example", transport=transport, on_response=fail)
        with self.assertRaises(ZeroDivisionError):
            client.push.get_app("one")

    def test_the_last_attempt_of_a_limited_call_raises(self) -> None:
        limited = httpx.MockTransport(lambda _: httpx.Response(429, headers={"retry-after": "61"}, json={}))
        with self.assertRaises(RateLimitedError) as raised:
            Millrace(base_url="http://api.example", transport=limited).push.get_app("one")
        self.assertEqual(raised.exception.retry_after, 61)


if __name__ == "__main__":
    unittest.main()
