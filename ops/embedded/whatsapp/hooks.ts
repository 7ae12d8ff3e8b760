import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Chat, ChatMessage } from './chats.ts'
import {
  displayNumber,
  ownAccountId,
  ownDisplayNumber,
  ownPhoneNumberId,
  sandboxAccountId,
  sandboxPhoneNumberId,
} from './number.ts'
import type { OwnNumber } from './own-number.ts'

export interface HookSettings {
  url: string
  appSecret: string
  verifyToken: string
  own: Pick<OwnNumber, 'address'>
}

type Address = Pick<HookSettings, 'url' | 'verifyToken'>

export interface Hooks {
  status(chat: Chat, message: ChatMessage, status: ChatMessage['status'], code?: number): void
  message(chat: Chat, message: Record<string, unknown>): void
  reviewed(template: { id: string; name: string; language: string; status: string }): void
  close(): void
}

/**
 * Delays in milliseconds before delivery attempts of a webhook. After the last attempt, the webhook is lost. Waiting
 * webhooks are lost when this process exits.
 */
const pauses = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/** Creates the sender of webhooks. After it has verified the receiver, it delivers webhooks one after another. */
export function createHooks({ url, appSecret, verifyToken, own }: HookSettings): Hooks {
  const stopping = new AbortController()
  const verified = new Set<string>()
  let last: Promise<void> = Promise.resolve()

  async function verify({ url, verifyToken }: Address): Promise<void> {
    const challenge = randomBytes(8).readBigUInt64BE().toString()
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': verifyToken,
      'hub.challenge': challenge,
    })
    const answer = await fetch(`${url}?${query}`, { signal: signal() })
    if (!answer.ok || (await answer.text()) !== challenge)
      throw new Error(`the response to the challenge was ${answer.status}`)
    verified.add(url)
  }

  async function post(to: Address, body: string): Promise<void> {
    if (!verified.has(to.url)) await verify(to)
    const signature = createHmac('sha256', appSecret).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }
    const answer = await fetch(to.url, { method: 'POST', headers, body, signal: signal() })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`the response was ${answer.status}`)
  }

  const signal = () => AbortSignal.any([stopping.signal, AbortSignal.timeout(10_000)])

  async function deliver(to: Address, body: string): Promise<void> {
    let why = ''
    for (const ms of pauses) {
      await pause(ms, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      try {
        return await post(to, body)
      } catch (error) {
        why = (error as Error).message
      }
    }
    process.stderr.write(`a webhook could not be delivered: ${why}\n`)
  }

  function enqueue(chat: Pick<Chat, 'number'>, value: object): void {
    const isOwn = chat.number === ownPhoneNumberId
    const [shown, id] = isOwn ? [ownDisplayNumber, ownPhoneNumberId] : [displayNumber, sandboxPhoneNumberId]
    const metadata = { display_phone_number: shown.replace(/\D/g, ''), phone_number_id: id }
    send(isOwn, { messaging_product: 'whatsapp', metadata, ...value }, 'messages')
  }

  function send(isOwn: boolean, value: object, field: string): void {
    const to = isOwn ? own.address() : { url, verifyToken }
    if (!to) return
    const id = isOwn ? ownAccountId : sandboxAccountId
    const body = { object: 'whatsapp_business_account', entry: [{ id, changes: [{ value, field }] }] }
    last = last.then(() => deliver(to, JSON.stringify(body)))
  }

  const timestamp = () => String(Math.floor(Date.now() / 1000))

  return {
    status(chat, { id, ref }, status, code) {
      const errors =
        code === undefined ? {} : { errors: [{ code, title: 'Message failed', message: 'Message failed' }] }
      const opaque = ref === undefined ? {} : { biz_opaque_callback_data: ref }
      enqueue(chat, {
        statuses: [{ id, status, timestamp: timestamp(), recipient_id: chat.wa_id, ...opaque, ...errors }],
      })
    },
    message(chat, message) {
      const contacts = [{ profile: { name: chat.name }, wa_id: chat.wa_id }]
      enqueue(chat, { contacts, messages: [{ from: chat.wa_id, timestamp: timestamp(), ...message }] })
    },
    reviewed({ id, name, language, status }) {
      const value = {
        event: status,
        message_template_id: Number(id),
        message_template_name: name,
        message_template_language: language,
        reason: 'NONE',
      }
      send(true, value, 'message_template_status_update')
    },
    close: () => stopping.abort(),
  }
}
