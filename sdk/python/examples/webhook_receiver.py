"""Receives webhooks: `webhook_receiver.py PORT SECRET…`. Pass both secrets during a rotation."""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from millrace import WebhookVerificationError, webhooks

port, secrets = int(sys.argv[1]), sys.argv[2:]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        payload = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = webhooks.verify(payload, dict(self.headers), secrets)
        except WebhookVerificationError as error:
            print("refused:", error, flush=True)
            self.send_error(400)
            return
        print("event", event["type"], flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


server = HTTPServer(("127.0.0.1", port), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
