import { createHmac } from 'node:crypto'
import { ask } from '../support/ingress.ts'

type Make = (request: string, body: unknown) => Promise<{ id: string; url: string }>

/** Adds a source of webhooks that forwards to no server, with a request that it accepts and one that it rejects. */
export async function addReceivedWebhooks(url: string, made: Make): Promise<void> {
  const secret = 'a-secret-of-a-provider'
  const source = await made('POST /v1/intake/sources', {
    name: 'Orders',
    provider: 'github',
    secret,
    forward: { url: 'http://127.0.0.1:9/webhooks' },
  })
  const raw = '{"action":"opened","number":7}'
  const signature = createHmac('sha256', secret).update(raw).digest('hex')
  for (const [status, hex] of [
    [200, signature],
    [401, signature.replaceAll('a', 'b')],
  ] as const) {
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': `delivery-${status}`,
      'x-hub-signature-256': `sha256=${hex}`,
    }
    const reply = await ask(url, `POST ${new URL(source.url).pathname}`, { raw, headers })
    if (reply.status !== status) throw new Error(`The source answers ${reply.status}: ${reply.text}`)
  }
}
