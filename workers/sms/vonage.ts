import { createPrivateKey, randomUUID, sign } from 'node:crypto'
import { z } from 'zod'
import { type Connection, type OutgoingSms, SmsError } from '#tasks/sms/engine.ts'
import { VonageSecrets, VonageSettings } from '#tasks/sms/rules/connection-settings.ts'
import type { Exchange } from './exchange.ts'

const Created = z.object({ message_uuid: z.string().min(1).max(100) })

/** An error has its number at the end of the URL in `type`. */
const Failure = z.object({ type: z.string().max(500) })

/** Lifetime of a token in seconds. */
const tokenSeconds = 300

/** Sends a message with the Messages API of Vonage. */
export async function sendByVonage(
  exchange: Exchange,
  server: string,
  connection: Connection,
  { id, to, from, text, encoding, callbackUrl }: OutgoingSms,
): Promise<string> {
  const { status, json } = await exchange({
    url: `${server}/v1/messages`,
    method: 'POST',
    headers: {
      authorization: authorize(connection),
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({
      channel: 'sms',
      message_type: 'text',
      to: to.slice(1),
      from: from?.replace(/^\+/, '') ?? '',
      text,
      client_ref: id,
      webhook_url: callbackUrl,
      webhook_version: 'v1',
      sms: { encoding_type: encoding === 'gsm7' ? 'text' : 'unicode' },
    }),
  })
  if (status >= 400) throw refusal(status, json)
  const created = Created.safeParse(json)
  if (created.success) return created.data.message_uuid
  throw new SmsError('unknown', 'The response is not from Vonage.', { httpStatus: status })
}

function authorize({ settings, secrets }: Connection): string {
  const { api_key, application_id } = VonageSettings.parse(settings)
  const { api_secret, private_key } = VonageSecrets.parse(secrets)
  if (application_id !== undefined && private_key !== undefined)
    return `Bearer ${createToken(application_id, private_key)}`
  return `Basic ${Buffer.from(`${api_key}:${api_secret ?? ''}`, 'utf8').toString('base64')}`
}

function createToken(applicationId: string, privateKey: string): string {
  const now = Math.floor(Date.now() / 1_000)
  const claims = { application_id: applicationId, iat: now, exp: now + tokenSeconds, jti: randomUUID() }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  try {
    return `${content}.${sign('sha256', Buffer.from(content), createPrivateKey(privateKey)).toString('base64url')}`
  } catch {
    throw new SmsError('not_configured', 'The private key of the connection cannot be used.')
  }
}

function refusal(httpStatus: number, json: unknown): SmsError {
  const type = Failure.safeParse(json).data?.type ?? ''
  const code = /[#/](\d{3,5})$/.exec(type.slice(-20))?.[1] ?? null
  return new SmsError('refused', `Vonage returned ${httpStatus}.`, { httpStatus, code })
}
