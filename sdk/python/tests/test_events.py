import gc
import unittest
from typing import Iterator, List

import httpx
from millrace import Event, Millrace, MillraceError
from millrace._events import EventParser

STREAM = (
    "\ufeffretry: 1500\n\n"
    "id: 7\nevent: item\ndata: {\"title\":\"Grüße\"}\n\n"
    ": a comment\r\n\r\n"
    "data: one\rdata: two\r\r"
    "event: empty\n\n"
    "id\ndata:3\n\n"
    "data: cut off"
).encode()

EVENTS = [
    Event("item", {"title": "Grüße"}, "7"),
    Event("message", "one\ntwo", "7"),
    Event("message", 3, ""),
]


class Events(unittest.TestCase):
    def test_events_are_the_same_however_the_bytes_are_cut(self) -> None:
        for size in (1, 2, 3, 5, 7, 11, len(STREAM)):
            parser = EventParser()
            events: List[Event] = []
            for at in range(0, len(STREAM), size):
                events += parser.feed(STREAM[at : at + size])
            self.assertEqual(events, EVENTS, f"in pieces of {size}")
            self.assertEqual(parser.retry, 1.5)

    def test_two_pieces_cut_anywhere(self) -> None:
        for at in range(len(STREAM)):
            parser = EventParser()
            self.assertEqual(parser.feed(STREAM[:at]) + parser.feed(STREAM[at:]), EVENTS, f"cut at {at}")

    def test_the_reconnection_time_of_the_server_is_limited(self) -> None:
        for sent, seconds in (("0", 0.1), ("250", 0.25), ("999999999", 60.0), ("9" * 400, None), ("²", None), ("-1", None)):
            parser = EventParser()
            parser.feed(f"retry: {sent}\n\n".encode())
            self.assertEqual(parser.retry, seconds, sent)


class Lists(unittest.TestCase):
    def test_a_list_ends_if_the_server_returns_the_same_page_again(self) -> None:
        for cursor, requests in (("same", 2), ("", 1)):
            asked: List[str] = []

            def answer(request: httpx.Request) -> httpx.Response:
                asked.append(str(request.url))
                return httpx.Response(200, json={"data": [{"id": "a"}], "next_cursor": cursor})

            client = Millrace(base_url="http://api.example", api_key="bt_test_x", transport=httpx.MockTransport(answer))
            items = iter(client.push.list_apps())
            next(items)
            if cursor:
                with self.assertRaisesRegex(MillraceError, "same page again"):
                    next(items)
            else:
                self.assertEqual(list(items), [])
            self.assertEqual(len(asked), requests)


if __name__ == "__main__":
    unittest.main()


class LeftStreams(unittest.TestCase):
    def test_a_stream_that_is_left_is_closed_without_the_collector_of_cycles(self) -> None:
        closed: List[bool] = []

        class Body(httpx.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                yield b"data: one\n\n"
                yield b"data: two\n\n"

            def close(self) -> None:
                closed.append(True)

        def answer(_: httpx.Request) -> httpx.Response:
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Body())

        client = Millrace(base_url="http://h.test", api_key="bt_live_x", transport=httpx.MockTransport(answer))
        gc.disable()
        try:
            stream = client.notify.stream.watch(user_id="u1", token="t")
            next(iter(stream))
            del stream
            self.assertEqual(closed, [True])
        finally:
            gc.enable()
