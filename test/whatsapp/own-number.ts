import { createHmac } from 'node:crypto'
import { newId } from '#lib/ids.ts'
import { type Ask, type Reply, testOrg } from '../support/ingress.ts'
import type { KnownNumber } from './graph-things.ts'
import type { WhatsappStack } from './stack.ts'

/** An organisation with its own number. */
export interface OwnNumber {
  orgId: string
  known: KnownNumber & { appSecret: string }
  /** Credentials of the connection. */
  form: Record<string, string>
  connected: Reply
  id: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Sends a webhook of the number, signed with its app's secret by default. */
  webhook(value: object, more?: { field?: string; secret?: string; entryId?: string; to?: string }): Promise<Reply>
  /** Signs a body of the number. Returns a function that sends it. */
  signed(raw: Buffer): () => Promise<Reply>
}

const signedHeaders = (raw: Buffer, secret: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`,
  'content-type': 'application/json',
})

let made = 0

/** A number that the Cloud API test server has. */
export function knownNumber(stack: Pick<WhatsappStack, 'api'>): KnownNumber & { appSecret: string } {
  made++
  const digits = String(made).padStart(6, '0')
  const number = {
    phoneNumberId: `500000${digits}`,
    accountId: `600000${digits}`,
    accessToken: `token-${digits}`,
    appSecret: `app-secret-${digits}`,
  }
  stack.api.things.numbers.push(number)
  return number
}

/** Creates an organisation and connects its own number. */
export async function ownNumber(
  stack: Pick<WhatsappStack, 'api' | 'db' | 'ingress'>,
  scopes = ['whatsapp:send', 'whatsapp:manage'],
): Promise<OwnNumber> {
  const { org, keys } = await testOrg(stack.db, scopes)
  const known = knownNumber(stack)
  const form = {
    phone_number_id: known.phoneNumberId,
    business_account_id: known.accountId,
    access_token: known.accessToken,
    app_secret: known.appSecret,
  }
  const ask: OwnNumber['ask'] = (request, options) => stack.ingress.ask(request, { key: keys.main, ...options })
  const connected = await ask('POST /v1/whatsapp/numbers', { body: form })
  const id = connected.body.id ?? newId()
  const sendSigned = (raw: Buffer, { secret, to }: { secret: string; to: string }) =>
    stack.ingress.ask(`POST /v1/whatsapp/webhook/${to}`, { raw, headers: signedHeaders(raw, secret) })
  return {
    orgId: org.id,
    known,
    form,
    connected,
    id,
    ask,
    webhook(value, { field = 'messages', secret = known.appSecret, entryId = known.accountId, to = id } = {}) {
      const metadata = { display_phone_number: '15550100', phone_number_id: known.phoneNumberId }
      const change = { value: { messaging_product: 'whatsapp', metadata, ...value }, field }
      const raw = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: entryId, changes: [change] }] })
      return sendSigned(Buffer.from(raw), { secret, to })
    },
    signed: (raw) => {
      const headers = signedHeaders(raw, known.appSecret)
      return () => stack.ingress.ask(`POST /v1/whatsapp/webhook/${id}`, { raw, headers })
    },
  }
}
