"""Makes the calls of the shared list (standard input) and says what came of each; `async` as an argument takes the client that awaits."""

import asyncio
import inspect
import json
import sys
from typing import Any, Dict, List

import httpx
from millrace import UNSET, APIError, AsyncMillrace, BadRequestError, Millrace, MillraceError, guard, webhooks

AWAITED = "async" in sys.argv


def filled(value: Any, known: Dict[str, Any]) -> Any:
    """A value with what it names put in: `$app.id` is that field of the answer of the call `app`."""
    if isinstance(value, str) and value.startswith("$"):
        name, *fields = value[1:].split(".")
        inner = known.get(name)
        for field in fields:
            inner = inner[int(field)] if isinstance(inner, list) else (inner or {}).get(field)
        return inner
    if isinstance(value, list):
        return [filled(one, known) for one in value]
    if isinstance(value, dict):
        return {name: filled(one, known) for name, one in value.items()}
    return value


async def result(value: Any) -> Any:
    """What a method of either client answers."""
    return await value if AWAITED and hasattr(value, "__await__") else value


async def first(items: Any, most: int) -> List[Any]:
    """So many of a list or stream, of either client."""
    some: List[Any] = []
    if AWAITED:
        async for item in items:
            some.append(item)
            if len(some) == most:
                break
    else:
        for item in items:
            some.append(item)
            if len(some) == most:
                break
    return some


def bytes_of(size: int) -> bytes:
    return bytes((i * 31 + (i >> 8)) & 255 for i in range(size))


async def helped(client: Any, name: str, args: Dict[str, Any]) -> Any:
    if name == "upload_video":
        told: List[int] = []
        source = bytes_of(args.pop("bytes"))
        answer = await result(client.upload_video(source, **args, on_progress=lambda sent, _: told.append(sent)))
        return {**answer, "sent": told[-1]}
    if name == "upload_file":
        return await result(client.upload_file(args.pop("text").encode(), **args))
    if name == "guard_token":
        return await result(client.guard_token(args["action"]))
    if name == "solve":
        return {"answer": guard.solve(args["challenge"])}
    if name == "verify_webhook":
        return webhooks.verify(args["payload"], args["headers"], args["secret"], now=args["now"])
    raise LookupError(f"There is no helper {name}.")


async def made(call: Dict[str, Any], known: Dict[str, Any], transport: Any) -> Any:
    options, take = call.get("options", {}), call.get("take", {})
    kind: Any = AsyncMillrace if AWAITED else Millrace
    retries = {"max_retries": options["max_retries"]} if "max_retries" in options else {}
    # One transport for all: each of its own would read the certificates of the machine anew.
    client = kind(base_url=call["base_url"], api_key=call["api_key"], transport=transport, **retries)
    args = filled(call.get("args", {}), known)
    if "helper" in call:
        return await helped(client, call["helper"], args)
    if "idempotency_key" in options:
        args["idempotency_key"] = options["idempotency_key"]
    if "timeout_ms" in options:
        args["timeout"] = options["timeout_ms"] / 1000
    place = client
    for step in call["python"]:
        place = getattr(place, step)
    answer = place(*filled(call.get("path", []), known), **arguments(place, args))
    if "pages" in take:
        return {"pages": [len(page.data) for page in await first(answer.pages(), take["pages"])]}
    if "items" in take:
        return {"items": await first(answer, take["items"])}
    if "events" in take:
        events = await first(answer, take["events"])
        return {"events": [{"id": one.id, "event": one.event, "data": one.data} for one in events]}
    answer = await result(answer)
    return answer.raw if hasattr(answer, "raw") else answer


def arguments(method: Any, args: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a call that may be wrong: what a type checker would find is for the service to find, too."""
    known = {name: one for name, one in inspect.signature(method).parameters.items() if one.kind is one.KEYWORD_ONLY}
    named = {"from_" if name == "from" else name: value for name, value in args.items()}
    missing = {name: UNSET for name, one in known.items() if one.default is one.empty and name not in named}
    extra = {name: named.pop(name) for name in list(named) if name not in known}
    return {**named, **missing, **({"extra_fields": extra} if extra else {})}


def reported(error: MillraceError) -> Dict[str, Any]:
    name = type(error).__name__
    if not isinstance(error, APIError):
        return {**NOTHING, "type": name}
    return {
        "type": name if name == "ServerError" else name.removesuffix("Error"),
        "status": error.status,
        "code": error.code,
        "fields": sorted(error.fields) if isinstance(error, BadRequestError) else [],
        "retry_after": error.retry_after,
        "has_request_id": error.request_id is not None,
    }


NOTHING = {"status": None, "code": None, "fields": [], "retry_after": None, "has_request_id": False}


async def main() -> None:
    program = json.load(sys.stdin)
    known: Dict[str, Any] = dict(program["given"])
    outcomes: Dict[str, Any] = {}
    transport = httpx.AsyncHTTPTransport() if AWAITED else httpx.HTTPTransport()
    for call in program["calls"]:
        try:
            answer = await made(call, known, transport)
            known[call["id"]] = answer
            outcomes[call["id"]] = {"answer": answer}
        except MillraceError as error:
            outcomes[call["id"]] = {"error": reported(error)}
    json.dump(outcomes, sys.stdout)


asyncio.run(main())
