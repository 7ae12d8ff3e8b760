import { z } from 'zod'
import { type Connection, type OutgoingSms, SmsError } from '#tasks/sms/engine.ts'
import { TwilioSecrets, TwilioSettings } from '#tasks/sms/rules/connection-settings.ts'
import type { Exchange } from './exchange.ts'

const Created = z.object({ sid: z.string().regex(/^[A-Za-z0-9]{10,64}$/) })

const Failure = z.object({ code: z.int() })

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`

function openAccount({ settings, secrets }: Connection) {
  const { account_sid, messaging_service_sid } = TwilioSettings.parse(settings)
  const { auth_token } = TwilioSecrets.parse(secrets)
  return { account_sid, messaging_service_sid, authorization: basic(account_sid, auth_token) }
}

/** Sends a message with Twilio's API of 2010-04-01. */
export async function sendByTwilio(
  exchange: Exchange,
  server: string,
  connection: Connection,
  { to, from, text, callbackUrl }: OutgoingSms,
): Promise<string> {
  const { account_sid, messaging_service_sid, authorization } = openAccount(connection)
  const form = new URLSearchParams({
    To: to,
    Body: text,
    StatusCallback: callbackUrl,
    ...(from !== null && { From: from }),
    ...(messaging_service_sid !== undefined && { MessagingServiceSid: messaging_service_sid }),
  })
  const { status, json } = await exchange({
    url: `${server}/2010-04-01/Accounts/${account_sid}/Messages.json`,
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
  })
  if (status >= 400) throw refusal(status, json)
  const created = Created.safeParse(json)
  if (created.success) return created.data.sid
  throw new SmsError('unknown', 'The response is not from Twilio.', { httpStatus: status })
}

function refusal(httpStatus: number, json: unknown): SmsError {
  const { data } = Failure.safeParse(json)
  const code = data ? String(data.code) : null
  return new SmsError('refused', `Twilio returned ${httpStatus}.`, { httpStatus, code })
}
