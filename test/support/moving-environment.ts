/** Import this first: the base URLs of the providers are a server of the test. Its handler is set later. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

let handler: RequestListener = (_, response) => void response.writeHead(503).end()

const server = createServer((request, response) => handler(request, response))
// Without a host, the port is known immediately. An await here would let other modules read the configuration first.
server.listen(0)
server.unref()

export const providerUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

export const setHandler = (next: RequestListener): void => {
  handler = next
}

const names = ['resend', 'postmark', 'sendgrid', 'mux']
process.env.MOVING_URLS = [...names.map((name) => `${name}=${providerUrl}`), `mux-stream=${providerUrl}/stream`].join(
  ',',
)
process.env.SIGNING_SECRET = 'a signing secret of the tests alone'
