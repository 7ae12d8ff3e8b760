"""Watches the inbox of a user while an event arrives."""

import asyncio
import uuid

from _settings import api_key, base_url
from millrace import AsyncMillrace


async def main() -> None:
    person = str(uuid.uuid4())
    async with AsyncMillrace(base_url=base_url(), api_key=api_key("platform")) as client:
        token = await client.notify.stream.create_token(user_id=person)

        for title in ("Packed", "Shipped"):
            await client.notify.events.create(
                product_key="shop", type="order.moved", subject_user_id=person, title=title
            )

        # After a lost connection, the stream reconnects and continues after the last event.
        watched = client.notify.stream.watch(
            user_id=person, token=token["token"], last_event_id=token["last_event_id"]
        )
        async with watched as events:
            async for event in events:
                if event.event == "item":
                    print("item", event.data["title"])
                    if event.data["title"] == "Shipped":
                        break

        async for item in client.notify.inbox.list(user_id=person, limit=1):
            print("in the inbox", item["title"])


asyncio.run(main())
