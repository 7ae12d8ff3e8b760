import { createHmac, hash } from 'node:crypto'
import { z } from 'zod'
import { isEqualInConstantTime } from '#lib/equal-in-constant-time.ts'
import type { Connection } from '../engine.ts'
import type { CallbackReader, ReceivedCallback, ReportedStatus } from './callback.ts'
import { VonageSecrets } from './connection-settings.ts'
import { parseJson } from './parse-json.ts'

const statuses: Readonly<Record<string, ReportedStatus['status']>> = {
  submitted: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undeliverable: 'undelivered',
  rejected: 'failed',
}

/** Maximum age of a token in seconds. Vonage repeats a webhook for up to 24 hours, each time with a new token. */
const maxAge = 600

const Claims = z.object({ iat: z.number(), payload_hash: z.string().max(100) })

const StatusForm = z.object({
  message_uuid: z.string().min(1).max(100),
  status: z.string().max(30),
  client_ref: z.string().max(100).optional().catch(undefined),
  error: z
    .object({ type: z.string().max(500).optional(), title: z.union([z.string(), z.number()]).optional() })
    .optional()
    .catch(undefined),
})

const TextForm = z.object({
  message_uuid: z.string().min(1).max(100),
  from: z.string().min(1).max(40),
  to: z.string().min(1).max(40),
  text: z.string().max(10_000),
})

/** Returns the code of an error: the number at the end of its type, or its title. */
function codeOf({ error }: z.infer<typeof StatusForm>): string | null {
  const number = /(\d{3,5})$/.exec(error?.type?.slice(-10) ?? '')?.[1]
  return number ?? (error?.title === undefined ? null : String(error.title).slice(0, 60))
}

export function vonageCallback({ secrets }: Connection): CallbackReader {
  const { signature_secret } = VonageSecrets.parse(secrets)
  return {
    isSigned: (callback) => isSignedBy(signature_secret, callback),
    readStatus({ body, messageId }) {
      const { data } = StatusForm.safeParse(parseJson(body))
      const status = data && statuses[data.status]
      if (!data || !status) return undefined
      return { id: messageId ?? data.client_ref, providerMessageId: data.message_uuid, status, code: codeOf(data) }
    },
    readText({ body }) {
      const { data } = TextForm.safeParse(parseJson(body))
      return data && { providerMessageId: data.message_uuid, from: data.from, to: data.to, text: data.text }
    },
  }
}

/** Checks the token (HS256) and the hash of the body in its claims. */
function isSignedBy(secret: string, { header, body }: ReceivedCallback): boolean {
  const token = /^Bearer ([\w-]{1,2000})\.([\w-]{1,4000})\.([\w-]{1,200})$/.exec(header('authorization') ?? '')
  if (!token) return false
  const [, head = '', claims = '', signature = ''] = token
  const { alg } = z.object({ alg: z.string() }).safeParse(parseJson(Buffer.from(head, 'base64url'))).data ?? {}
  if (alg !== 'HS256') return false
  const wanted = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url')
  if (!isEqualInConstantTime(signature, wanted)) return false
  const { data } = Claims.safeParse(parseJson(Buffer.from(claims, 'base64url')))
  if (!data || Math.abs(Date.now() / 1_000 - data.iat) > maxAge) return false
  return isEqualInConstantTime(data.payload_hash.toLowerCase(), hash('sha256', body, 'hex'))
}
