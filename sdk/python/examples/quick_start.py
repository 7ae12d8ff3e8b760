"""Sends a push message to a user and follows it to their devices."""

import time

from _settings import api_key, base_url, dev
from millrace import BadRequestError, Millrace, NotFoundError

with Millrace(base_url=base_url(), api_key=api_key("push")) as client:
    app_id = dev()["push"]["app_id"]

    sent = client.push.send(
        app_id=app_id,
        target={"type": "user", "id": "demo"},
        title="Shipped",
        body="Your order is on its way",
        idempotency_key=f"order-4711-{time.time()}",
    )
    print("message", sent["id"], sent["status"])

    message = client.push.get_message(sent["id"])
    print("devices", message["counts"]["devices"])

    # Iterating over a list goes through all its pages.
    for delivery in client.push.message_trace(sent["id"]):
        print("delivery", delivery["provider"], delivery["status"])

    try:
        client.push.get_app("01a2065e-0000-7000-8000-000000000000")
    except NotFoundError as error:
        print("error", error.status, error.code, error.request_id is not None)

    try:
        client.push.send(app_id="shop", target={"type": "user", "id": ""})
    except BadRequestError as error:
        print("at fault", error.fields)
