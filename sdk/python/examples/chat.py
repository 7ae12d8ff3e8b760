"""Creates a bot, gives it a document, and prints its answer while it is generated."""

import time

from _settings import api_key, base_url
from millrace import Millrace

with Millrace(base_url=base_url(), api_key=api_key("platform")) as client:
    bot = client.bots.create(
        template="support-desk",
        name="Bike shop",
        slug=f"bike-shop-{int(time.time())}",
        variables={"company": "Bike shop", "tone": "friendly", "contact": "help@example.com"},
    )
    client.bots.documents.create(bot["id"], title="Returns", text="A bike may be returned within 30 days.")

    events = client.bots.chat.create(bot["id"], message="How long may I return a bike?", stream=True)
    for event in events:
        if event.event == "message.delta":
            print(event.data["text"], end="", flush=True)
        elif event.event in ("message.completed", "error"):
            print(f"\n{event.event}")
    client.bots.remove(bot["id"])
