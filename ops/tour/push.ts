import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

export interface PushApi extends Api {
  appId: string
  publicKey: string
}

interface PushEvent {
  delivery_id: string
  message_id: string
  title: string
  receipt_token: string
}

const userId = 'tour'

const timeoutMs = 60_000

export function pushSteps(api: PushApi, signal: AbortSignal): Step[] {
  return [{ name: 'push', run: () => sendOne(api, signal) }]
}

async function sendOne(api: PushApi, signal: AbortSignal): Promise<string> {
  const device = { app_id: api.appId, user_id: userId, push_provider: 'sse', platform: 'tour' }
  const { id, stream } = await ask<{ id: string; stream: { token: string } }>(
    api,
    'POST',
    '/push/v1/installations',
    device,
  )
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const headers = { authorization: `Bearer ${stream.token}` }
  const events = await fetch(`${api.base}/push/v1/stream`, { headers, signal: deadline })
  if (!events.ok || !events.body) throw new Error(`The stream returned ${events.status}.`)
  const begun = performance.now()
  const sent = await ask<{ id: string }>(api, 'POST', '/push/v1/messages', {
    app_id: api.appId,
    target: { type: 'user', id: userId },
    title: 'Your first push message',
    body: 'Sent over server-sent events.',
  })
  const received = await messageOf(events.body, sent.id)
  const arrived = performance.now()
  await ask({ ...api, key: api.publicKey }, 'POST', '/push/v1/receipts', {
    delivery_id: received.delivery_id,
    event: 'opened',
    token: received.receipt_token,
  })
  const { counts } = await ask<{ counts: { opened: number } }>(api, 'GET', `/push/v1/messages/${sent.id}`)
  if (counts.opened !== 1) throw new Error('The receipt was not recorded.')
  const back = performance.now()
  await ask(api, 'DELETE', `/push/v1/installations/${id}`)
  return `a message reached its device after ${Math.round(arrived - begun)} ms, and its receipt was recorded ${Math.round(back - arrived)} ms later`
}

async function messageOf(body: ReadableStream<Uint8Array>, messageId: string): Promise<PushEvent> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      const received: PushEvent | undefined = data && JSON.parse(data)
      if (received?.message_id === messageId) return received
    }
  }
  throw new Error('The stream ended before the message arrived.')
}
