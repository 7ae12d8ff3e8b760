import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Hooks } from './hooks.ts'
import type { Thread, Threads } from './threads.ts'

export interface ProviderRequest {
  method: string
  path: string
  authorization: string | undefined
  form: URLSearchParams
}

export interface ProviderAnswer {
  status: number
  body: object
}

interface Parts {
  threads: Threads
  hooks: Hooks
  accountSid: string
  authToken: string
}

const fault = (status: number, code: number, message: string): ProviderAnswer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
})

const newSid = () => `SM${randomBytes(16).toString('hex')}`

/** Creates an API in the format of Twilio. Numbers that end in 0000 cannot be reached. */
export function createProviderApi({ threads, hooks, accountSid, authToken }: Parts) {
  const credentials = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`

  async function report(thread: Thread, id: string, callback: string | null): Promise<void> {
    const message = thread.messages.find((one) => one.id === id)
    const isReachable = !thread.phone.endsWith('0000')
    await pause(300)
    if (message) message.status = isReachable ? 'delivered' : 'undelivered'
    threads.changed()
    if (callback === null) return
    hooks.send(callback, { MessageSid: id, MessageStatus: 'sent', To: thread.phone })
    hooks.send(callback, {
      ...{ MessageSid: id, MessageStatus: isReachable ? 'delivered' : 'undelivered', To: thread.phone },
      ...(!isReachable && { ErrorCode: '30003' }),
    })
  }

  function accept(form: URLSearchParams): ProviderAnswer {
    const [to, text, sender, callback] = ['To', 'Body', 'From', 'StatusCallback'].map((name) => form.get(name))
    if (!to || !/^\+[1-9]\d{6,14}$/.test(to)) return fault(400, 21_211, 'Invalid To Phone Number')
    if (!text) return fault(400, 21_602, 'Message body is required')
    const thread = threads.open(to)
    thread.sender = sender ?? 'Millrace'
    thread.callback = callback ?? undefined
    const id = newSid()
    const at = new Date().toISOString()
    threads.add(thread, { id, from: 'business', text, at, status: 'sent', sender: thread.sender })
    threads.changed()
    void report(thread, id, callback ?? null)
    return { status: 201, body: { sid: id, status: 'queued', to, from: sender, body: text, error_code: null } }
  }

  return ({ method, path, authorization, form }: ProviderRequest): ProviderAnswer => {
    if (authorization !== credentials) return fault(401, 20_003, 'Authenticate')
    if (method === 'GET' && path === `/2010-04-01/Accounts/${accountSid}.json`)
      return { status: 200, body: { sid: accountSid, status: 'active' } }
    const isMessage = method === 'POST' && path === `/2010-04-01/Accounts/${accountSid}/Messages.json`
    return isMessage ? accept(form) : fault(404, 20_404, 'The requested resource was not found')
  }
}

/** Sends a message of a person to the connection that wrote to the person last. Returns false if there is none. */
export function writeAsPerson(
  { threads, hooks }: Pick<Parts, 'threads' | 'hooks'>,
  thread: Thread,
  text: string,
): boolean {
  if (thread.callback === undefined) return false
  const id = newSid()
  const [base = ''] = thread.callback.split('/status')
  hooks.send(`${base}/inbound`, { MessageSid: id, From: thread.phone, To: thread.sender, Body: text, NumMedia: '0' })
  const at = new Date().toISOString()
  threads.add(thread, { id, from: 'person', text, at, status: 'delivered', sender: thread.sender })
  threads.changed()
  return true
}
