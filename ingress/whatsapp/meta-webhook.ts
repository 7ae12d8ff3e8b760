import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Logger } from 'pino'
import { z } from 'zod'
import { badRequest, forbidden, unauthorized } from '#lib/errors.ts'
import { outsideText } from '#lib/outside-text.ts'
import { type Ground, recordWebhook } from '#tasks/whatsapp/rules/record-webhook.ts'
import { readWebhook } from '#tasks/whatsapp/rules/webhook-form.ts'

/** A webhook of the Cloud API has 3 MB at most. */
export const bodyLimit = 4 * 1024 * 1024

/** Parts that a log line names. */
const mostNamed = 20

/** What Meta asks with when a webhook is set up. */
export const Challenge = z.object({
  'hub.mode': z.literal('subscribe'),
  'hub.verify_token': z.string().max(1_000),
  'hub.challenge': z.string().regex(/^[\w.-]{1,200}$/, 'must be letters and digits'),
})

/** Answers Meta's challenge for who knows the verify token; throws 403 for others. */
export function answerChallenge(
  ctx: Context,
  query: z.output<typeof Challenge>,
  verifyToken: string | undefined,
): void {
  if (verifyToken === undefined || !isSame(query['hub.verify_token'], verifyToken))
    throw forbidden('This is not the verify token.')
  ctx.body = query['hub.challenge']
}

/** Throws 401 unless the signature is the HMAC of the body as it came (`sha256=` and hexadecimal digits). */
export function demandSignature(body: Buffer, signature: string | undefined, appSecret: string | undefined): void {
  const mac = appSecret && createHmac('sha256', appSecret).update(body).digest('hex')
  if (!mac || !isSame(signature ?? '', `sha256=${mac}`)) throw unauthorized('The signature is not that of the app.')
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
  const { phoneNumberId, accountId, log } = ground
  const content = readWebhook(parse(bytes), { phoneNumberId, accountId })
  if (content === null || content.leftOut.length > 0) {
    const left_out = content?.leftOut.slice(0, mostNamed) ?? 'all'
    log.info({ left_out, count: content?.leftOut.length }, 'a webhook of WhatsApp has parts that are not for us')
  }
  if (content && phoneNumberId !== undefined) await recordWebhook(content, { ...ground, phoneNumberId })
  ctx.body = 'EVENT_RECEIVED'
}

/** What people write, and its names, may hold what no text of Postgres can: NUL and lone surrogates become U+FFFD. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString(), (_, value) => {
      if (typeof value === 'string') return outsideText(value)
      if (!isFields(value) || Object.keys(value).every((name) => outsideText(name) === name)) return value
      return Object.fromEntries(Object.entries(value).map(([name, field]) => [outsideText(name), field]))
    })
  } catch {
    throw badRequest([{ field: 'body', issue: 'is not JSON' }])
  }
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
