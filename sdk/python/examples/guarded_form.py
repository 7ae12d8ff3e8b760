"""Gets a token for an action like a visitor's browser, and uses it like a server."""

from _settings import api_key, base_url
from millrace import Millrace

with Millrace(base_url=base_url(), api_key=api_key("guard_site")) as visitor, Millrace(base_url=base_url(), api_key=api_key("guard_server")) as server:
    earned = visitor.guard_token("sign-up")
    print("earned", earned["tier"])

    for _ in range(2):
        verdict = server.guard.tokens.verify(token=earned["token"], action="sign-up")
        print("valid" if verdict["valid"] else verdict["reason"])
