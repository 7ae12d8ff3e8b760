"""Uploads to a running service (MILLRACE_DEV names its dev.json) while requests to its storage fail."""

import asyncio
import json
import os
import threading
import unittest
from typing import Any, Dict, List, Union

import httpx
from millrace import AsyncMillrace, Millrace, UploadError

FACTS = json.loads(open(os.environ["MILLRACE_DEV"]).read())
PART = 5 * 1024 * 1024
BYTES = os.urandom(2 * PART + 17)

#: What happens to a PUT in place of what should: an answer, or the loss of the true one.
Fault = Union[int, str, None]


class Faults:
    """The faults of the first PUTs, in their order, and how many came."""

    def __init__(self, *faults: Fault) -> None:
        self.rest = list(faults)
        self.puts = 0
        self.lock = threading.Lock()
        #: What was sent of each part.
        self.parts: Dict[str, bytes] = {}

    def next(self, request: httpx.Request) -> Fault:
        if request.method != "PUT":
            return None
        with self.lock:
            self.puts += 1
            if "partNumber" in request.url.params:
                self.parts[request.url.params["partNumber"]] = request.content
            return self.rest.pop(0) if self.rest else None


class Transport(httpx.HTTPTransport):
    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self.faults = faults

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        fault = self.faults.next(request)
        if isinstance(fault, int):
            return httpx.Response(fault, request=request)
        response = super().handle_request(request)
        if fault == "lost":
            response.close()
            raise httpx.ReadError("lost")
        return response


class AsyncTransport(httpx.AsyncHTTPTransport):
    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self.faults = faults

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        fault = self.faults.next(request)
        if isinstance(fault, int):
            return httpx.Response(fault, request=request)
        response = await super().handle_async_request(request)
        if fault == "lost":
            await response.aclose()
            raise httpx.ReadError("lost")
        return response


class Blocking(unittest.TestCase):
    def call(self, key: str, faults: Faults, method: str, *args: Any, **fields: Any) -> Any:
        with Millrace(
            base_url=FACTS["base_url"], api_key=FACTS["keys"][key], transport=Transport(faults)
        ) as client:
            return getattr(client, method)(*args, **fields)

    def status(self, upload_id: str) -> Any:
        with Millrace(base_url=FACTS["base_url"], api_key=FACTS["keys"]["stream"]) as client:
            return client.video.uploads.status(upload_id)

    def upload(self, faults: Faults, **fields: Any) -> Any:
        return self.call("stream", faults, "upload_video", BYTES, **fields)

    def test_parts_that_fail_are_sent_again(self) -> None:
        told: List[int] = []
        faults = Faults(403, 500, "lost")
        uploaded = self.upload(faults, on_progress=lambda sent, total: told.append(sent))
        self.assertEqual(faults.puts, 6)
        self.assertEqual(b"".join(faults.parts[number] for number in ("1", "2", "3")), BYTES)
        self.assertEqual(self.status(uploaded["uploadId"])["state"], "completed")
        self.assertEqual(told, sorted(told))
        self.assertEqual(told[-1], len(BYTES))

    def test_an_upload_that_broke_off_goes_on_with_what_is_missing(self) -> None:
        begun: List[str] = []
        with self.assertRaises(UploadError) as raised:
            self.upload(Faults(None, None, 400), on_start=begun.append)
        self.assertEqual([raised.exception.upload_id], begun)
        held = self.status(begun[0])["partsReceived"]
        self.assertLess(len(held), 3)
        with self.assertRaisesRegex(ValueError, r"but this source has \d+\.$"):
            self.call("stream", Faults(), "upload_video", BYTES[1:], resume=begun[0])
        rest = Faults()
        self.upload(rest, resume=begun[0])
        self.assertEqual(rest.puts, 3 - len(held))
        again = Faults()
        self.assertEqual(self.upload(again, resume=begun[0])["uploadId"], begun[0])
        self.assertEqual(again.puts, 0)

    def test_a_key_names_one_upload(self) -> None:
        key = f"{type(self).__name__}-{os.urandom(8).hex()}"
        begun: List[str] = []
        with self.assertRaises(UploadError):
            self.upload(Faults(400), idempotency_key=key, on_start=begun.append)
        uploaded = self.upload(Faults(), idempotency_key=key, on_start=begun.append)
        self.assertEqual(begun, [uploaded["uploadId"]] * 2)

    def test_a_file_in_parts_goes_on_with_what_is_missing(self) -> None:
        facts: Dict[str, Any] = {"product_key": "crm", "tenant_id": "acme", "filename": "noise.bin", "parts": True}
        begun: List[str] = []
        with self.assertRaises(UploadError):
            self.call("platform", Faults(None, None, 400), "upload_file", BYTES, on_start=begun.append, **facts)
        rest = Faults(500, "lost")
        file = self.call("platform", rest, "upload_file", BYTES, resume=begun[0], **facts)
        self.assertEqual((file["object_id"], file["byte_size"]), (begun[0], len(BYTES)))
        self.assertLess(rest.puts, 3 + 2)

    def test_a_file_arrives_whatever_becomes_of_its_requests(self) -> None:
        facts: Dict[str, Any] = {"product_key": "crm", "tenant_id": "acme", "filename": "note.txt"}
        for faults in (Faults(), Faults(500, "lost"), Faults(403)):
            file = self.call("platform", faults, "upload_file", b"Nothing to fear." * 40_000, **facts)
            self.assertEqual((file["scan_status"], file["byte_size"]), ("clean", 640_000))
        empty = self.call("platform", Faults(), "upload_file", b"", **facts)
        self.assertEqual(empty["byte_size"], 0)


class Awaiting(Blocking):
    def call(self, key: str, faults: Faults, method: str, *args: Any, **fields: Any) -> Any:
        async def made() -> Any:
            async with AsyncMillrace(
                base_url=FACTS["base_url"], api_key=FACTS["keys"][key], transport=AsyncTransport(faults)
            ) as client:
                return await getattr(client, method)(*args, **fields)

        return asyncio.run(made())


if __name__ == "__main__":
    unittest.main()
