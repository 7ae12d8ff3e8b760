import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Logger } from 'pino'
import { z } from 'zod'
import { forbidden, unauthorized } from '#lib/errors.ts'
import { type Ground, recordWebhook } from '#tasks/whatsapp/rules/record-webhook.ts'
import { maxParts, partCount, readWebhook } from '#tasks/whatsapp/rules/webhook-form.ts'
import { createAllowance } from '../http/limits/allowances.ts'
import { readSigned } from '../http/request/body.ts'

/** A webhook of the Cloud API has 3 MB at most. */
export const bodyLimit = 4 * 1024 * 1024

/** What the JSON of a webhook may hold: the Cloud API tells up to 1,000 things at once. */
const bounds = { values: 100_000, elements: maxParts }

/** What a number's webhooks may have in one process: as much as the Cloud API sends of one that is at its limits. */
const bytesOfNumber = createAllowance(64 * 1024 * 1024, 'bytes of webhooks of one number')
const partsOfNumber = createAllowance(60_000, 'messages and status updates of one number')

/** Parts that a log line names. */
const mostNamed = 20

/** What Meta asks with when a webhook is set up. */
export const Challenge = z.object({
  'hub.mode': z.literal('subscribe'),
  'hub.verify_token': z.string().max(1_000),
  'hub.challenge': z.string().regex(/^[\w.-]{1,200}$/, 'must contain only letters, digits, _, - and .'),
})

/** Answers Meta's challenge for who knows the verify token; throws 403 for others. */
export function answerChallenge(
  ctx: Context,
  query: z.output<typeof Challenge>,
  verifyToken: string | undefined,
): void {
  if (verifyToken === undefined || !isSame(query['hub.verify_token'], verifyToken))
    throw forbidden('The verify token is wrong.')
  ctx.body = query['hub.challenge']
}

/** Throws 401 unless the signature is the HMAC of the body as it came (`sha256=` and hexadecimal digits). */
export function demandSignature(body: Buffer, signature: string | undefined, appSecret: string | undefined): void {
  const mac = appSecret && createHmac('sha256', appSecret).update(body).digest('hex')
  if (!mac || !isSame(signature ?? '', `sha256=${mac}`)) throw unauthorized('The signature does not match the app.')
}

/** Compares in a time that tells nothing but the lengths. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Records what a signed body tells of a number, and answers as Meta wants it. */
export async function takeWebhook(
  ctx: Context,
  bytes: Buffer,
  ground: Omit<Ground, 'phoneNumberId' | 'log'> & { phoneNumberId: string | undefined; log: Logger },
): Promise<void> {
  const { phoneNumberId, accountId, number, log } = ground
  const owner = number?.id ?? 'platform'
  bytesOfNumber.spend(owner, bytes.length)
  const content = readWebhook(readSigned(bytes, bounds), { phoneNumberId, accountId })
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
