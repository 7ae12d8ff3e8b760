import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { z } from 'zod'
import { badRequest, forbidden, unauthorized } from '#lib/errors.ts'
import { outsideText } from '#lib/outside-text.ts'
import { recordWebhook } from '#tasks/whatsapp/rules/record-webhook.ts'
import { readWebhook } from '#tasks/whatsapp/rules/webhook-form.ts'
import { readBody } from '../http/request/body.ts'
import { route } from '../http/route.ts'
import { settings } from './settings.ts'

/** A webhook of the Cloud API has 3 MB at most. */
const bodyLimit = 4 * 1024 * 1024

/** Parts that a log line names. */
const mostNamed = 20

const forMeta = { public: true, ignoresOtherQuery: true, hidden: true, status: 200, raw: 'text/plain' } as const

/** `GET /v1/whatsapp/webhook`: by answering the challenge the platform shows that the address is its own. */
export const verify = route({
  ...forMeta,
  method: 'GET',
  path: '/webhook',
  summary: 'Answer Meta’s challenge',
  limit: { perMinute: 60, by: 'ip' },
  query: z.object({
    'hub.mode': z.literal('subscribe'),
    'hub.verify_token': z.string().max(1_000),
    'hub.challenge': z.string().regex(/^[\w.-]{1,200}$/, 'must be letters and digits'),
  }),
  problems: ['forbidden'],
  async handle({ query, services, ctx }) {
    const { verifyToken } = services(settings)
    if (verifyToken === undefined || !isSame(query['hub.verify_token'], verifyToken))
      throw forbidden('This is not the verify token.')
    ctx.body = query['hub.challenge']
  },
})

/** `POST /v1/whatsapp/webhook`: what people write, and what became of messages. */
export const receive = route({
  ...forMeta,
  method: 'POST',
  path: '/webhook',
  summary: 'Take Meta’s webhooks',
  limit: false,
  problems: ['unauthorized', 'payload_too_large'],
  async handle({ services, header, db, ctx, log }) {
    const { appSecret, phoneNumberId } = services(settings)
    const bytes = await readBody(ctx.req, ctx.res, bodyLimit)
    if (appSecret === undefined || !isSigned(bytes, header('x-hub-signature-256'), appSecret))
      throw unauthorized('The signature is not that of the app.')
    const content = readWebhook(parse(bytes), phoneNumberId)
    if (content === null || content.leftOut.length > 0) {
      const left_out = content?.leftOut.slice(0, mostNamed) ?? 'all'
      log.info({ left_out, count: content?.leftOut.length }, 'a webhook of WhatsApp has parts that are not for us')
    }
    if (content && phoneNumberId !== undefined) await recordWebhook(content, { db, phoneNumberId, log })
    answer(ctx)
  },
})

const answer = (ctx: Context) => {
  ctx.body = 'EVENT_RECEIVED'
}

/** Whether the signature is the HMAC of the body as it came (`sha256=` and hexadecimal digits). */
function isSigned(body: Buffer, signature: string | undefined, appSecret: string): boolean {
  return isSame(signature ?? '', `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`)
}

/** Compares in a time that tells nothing but the lengths. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
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
