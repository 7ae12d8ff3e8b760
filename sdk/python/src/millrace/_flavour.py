"""Waiting and parallel work in the asynchronous and the blocking client."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, Awaitable, Callable, Iterable, List, TypeVar

T = TypeVar("T")


class AsyncFlavour:
    """For the asynchronous client."""

    @staticmethod
    async def pause(seconds: float) -> None:
        await asyncio.sleep(seconds)

    @staticmethod
    async def run(work: Callable[..., T], *given: Any) -> T:
        """Runs blocking work, such as reading a file, outside of the event loop."""
        return await asyncio.to_thread(work, *given)

    @staticmethod
    async def each(items: Iterable[T], at_once: int, work: Callable[[T], Awaitable[None]]) -> None:
        """Runs `work` for every item, several in parallel. The first failure cancels the others."""
        rest = iter(items)

        async def one_after_another() -> None:
            for item in rest:
                await work(item)

        workers = [asyncio.ensure_future(one_after_another()) for _ in range(at_once)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)


class Flavour:
    """For the blocking client."""

    @staticmethod
    def pause(seconds: float) -> None:
        time.sleep(seconds)

    @staticmethod
    def run(work: Callable[..., T], *given: Any) -> T:
        return work(*given)

    @staticmethod
    def each(items: Iterable[T], at_once: int, work: Callable[[T], None]) -> None:
        """Runs `work` for every item in parallel threads. After the first failure it starts no more."""
        waiting: List[T] = list(items)[::-1]

        def one_after_another() -> None:
            while waiting:
                try:
                    item = waiting.pop()
                except IndexError:
                    return
                try:
                    work(item)
                except BaseException:
                    waiting.clear()
                    raise

        with ThreadPoolExecutor(max_workers=max(1, at_once)) as pool:
            futures = [pool.submit(one_after_another) for _ in range(at_once)]
            wait(futures, return_when=FIRST_EXCEPTION)
        for future in futures:
            future.result()
