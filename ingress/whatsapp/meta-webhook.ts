import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Logger } from 'pino'
import { z } from 'zod'
import { forbidden, unauthorized } from '#lib/errors.ts'
import { recordWebhook, type WebhookContext } from '#tasks/whatsapp/rules/record-webhook.ts'
import { maxParts, parseWebhook, partCount } from '#tasks/whatsapp/rules/webhook-form.ts'
import { createAllowance } from '../http/limits/allowances.ts'
import { readSigned } from '../http/request/body.ts'

/** Maximum size of a webhook in bytes. Webhooks of the Cloud API have up to 3 MB. */
export const bodyLimit = 4 * 1024 * 1024

/** Limits of a webhook's JSON. The Cloud API sends up to 1,000 updates in one webhook. */
const bounds = { values: 100_000, elements: maxParts }

/**
 * Limits the bytes of one number's webhooks in one process. At its limits, the Cloud API sends this much for a number.
 */
const bytesOfNumber = createAllowance(64 * 1024 * 1024, 'bytes of webhooks of one number')
const partsOfNumber = createAllowance(60_000, 'messages and status updates of one number')

const mostNamed = 20

export const Challenge = z.object({
  'hub.mode': z.literal('subscribe'),
  'hub.verify_token': z.string().max(1_000),
  'hub.challenge': z.string().regex(/^[\w.-]{1,200}$/, 'must contain only letters, digits, _, - and .'),
})

/** Responds to Meta's challenge. Throws 403 if the verify token is wrong. */
export function answerChallenge(
  ctx: Context,
  query: z.output<typeof Challenge>,
  verifyToken: string | undefined,
): void {
  if (verifyToken === undefined || !isEqualInConstantTime(query['hub.verify_token'], verifyToken))
    throw forbidden('The verify token is wrong.')
  ctx.body = query['hub.challenge']
}

/** Throws 401 unless the signature is the HMAC of the raw body. Its format is `sha256=` and hexadecimal digits. */
export function requireSignature(body: Buffer, signature: string | undefined, appSecret: string | undefined): void {
  const mac = appSecret && createHmac('sha256', appSecret).update(body).digest('hex')
  if (!mac || !isEqualInConstantTime(signature ?? '', `sha256=${mac}`))
    throw unauthorized('The signature does not match the app.')
}

/** Compares in constant time. The time reveals only the lengths. */
function isEqualInConstantTime(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Stores the updates of a signed body for one number and returns the response that Meta expects. */
export async function receiveWebhook(
  ctx: Context,
  bytes: Buffer,
  ground: Omit<WebhookContext, 'phoneNumberId' | 'log'> & { phoneNumberId: string | undefined; log: Logger },
): Promise<void> {
  const { phoneNumberId, accountId, number, log } = ground
  const owner = number?.id ?? 'platform'
  bytesOfNumber.spend(owner, bytes.length)
  const content = parseWebhook(readSigned(bytes, bounds), { phoneNumberId, accountId })
  partsOfNumber.spend(owner, content ? partCount(content) : 1)
  if (content === null || content.leftOut.length > 0) {
    const left_out = content?.leftOut.slice(0, mostNamed) ?? 'all'
    log.info(
      { left_out, count: content?.leftOut.length },
      'skipped parts of a WhatsApp webhook that belong to other numbers',
    )
  }
  if (content && phoneNumberId !== undefined) await recordWebhook(content, { ...ground, phoneNumberId })
  ctx.body = 'EVENT_RECEIVED'
}
