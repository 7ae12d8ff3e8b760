import { setTimeout as pause } from 'node:timers/promises'
import { devDomain } from '../start/dev-domain.ts'
import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

export interface MailApi extends Api {
  catcher: string
}

interface CaughtMessage {
  id: string
  subject: string
  authentication: { dkim: { result: string; algorithm: string; domain: string }[] }
}

const timeoutMs = 60_000

export function mailSteps(api: MailApi, signal: AbortSignal): Step[] {
  return [{ name: 'mail', run: () => sendOne(api, signal) }]
}

async function sendOne(api: MailApi, signal: AbortSignal): Promise<string> {
  const begun = performance.now()
  const { message_id } = await ask<{ message_id: string }>(api, 'POST', '/send/v1/messages', {
    stream: 'transactional',
    from: { email: `hello@${devDomain}`, name: 'Millrace' },
    to: `you@${devDomain}`,
    subject: 'Your first email',
    text: 'This message was signed, delivered and caught. All email of this machine is collected here.',
    html: '<h1>A first look at mail</h1><p>This message was signed, delivered and caught. All email of this machine is collected here.</p>',
  })
  const caught = await arrived(api, message_id, signal)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const { dkim } = caught.authentication
  const verified = dkim.filter(({ result, domain }) => result === 'pass' && domain === devDomain)
  if (verified.length === 0 || verified.length < dkim.length)
    throw new Error(`The message arrived, but its signatures are: ${JSON.stringify(dkim)}`)
  const algorithms = verified.map(({ algorithm }) => algorithm).join(', ')
  return `a signed message arrived after ${seconds} s: dkim=pass (${algorithms}); see ${api.catcher}/messages/${caught.id}`
}

async function arrived({ catcher }: MailApi, messageId: string, signal: AbortSignal): Promise<CaughtMessage> {
  const read = async <T>(path: string) => (await (await fetch(catcher + path, { signal })).json()) as T
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    const { messages } = await read<{ messages: CaughtMessage[] }>(`/messages.json?q=${encodeURIComponent(messageId)}`)
    if (messages[0]) return await read<CaughtMessage>(`/messages/${messages[0].id}.json`)
    await pause(100, undefined, { signal })
  }
  throw new Error(`The message did not reach the mail catcher within ${timeoutMs / 1000} s.`)
}
