import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { isEqualInConstantTime } from '#lib/equal-in-constant-time.ts'
import type { Connection } from '../engine.ts'
import type { CallbackReader, ReceivedCallback, ReportedStatus } from './callback.ts'
import { TwilioSecrets } from './connection-settings.ts'

const statuses: Readonly<Record<string, ReportedStatus['status']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'undelivered',
  failed: 'failed',
}

const StatusForm = z.object({
  MessageSid: z.string().min(1).max(64),
  MessageStatus: z.string().max(30),
  ErrorCode: z.string().max(20).optional(),
})

const TextForm = z.object({
  MessageSid: z.string().min(1).max(64),
  From: z.string().min(1).max(40),
  To: z.string().min(1).max(40),
  Body: z.string().max(10_000).default(''),
})

const formOf = ({ body }: ReceivedCallback): URLSearchParams => new URLSearchParams(body.toString('utf8'))

const fieldsOf = (callback: ReceivedCallback) => Object.fromEntries(formOf(callback))

/** Returns the signature: the HMAC-SHA1 of the URL, followed by the sorted names and values of the form. */
export function signTwilio(authToken: string, url: string, form: URLSearchParams): string {
  const pairs = [...form].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const content = url + pairs.map(([name, value]) => name + value).join('')
  return createHmac('sha1', authToken).update(content, 'utf8').digest('base64')
}

export function twilioCallback({ secrets }: Connection): CallbackReader {
  const { auth_token } = TwilioSecrets.parse(secrets)
  return {
    isSigned(callback) {
      const given = callback.header('x-twilio-signature') ?? ''
      const form = formOf(callback)
      return callback.urls.some((url) => isEqualInConstantTime(given, signTwilio(auth_token, url, form)))
    },
    readStatus(callback) {
      const { data } = StatusForm.safeParse(fieldsOf(callback))
      const status = data && statuses[data.MessageStatus]
      if (!data || !status) return undefined
      return { id: callback.messageId, providerMessageId: data.MessageSid, status, code: data.ErrorCode ?? null }
    },
    readText(callback) {
      const { data } = TextForm.safeParse(fieldsOf(callback))
      return data && { providerMessageId: data.MessageSid, from: data.From, to: data.To, text: data.Body }
    },
  }
}
