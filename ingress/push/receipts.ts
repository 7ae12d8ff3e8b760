import { z } from 'zod'
import { badRequest, forbidden, notFound, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as rows from '#sql/push/receipts.ts'
import { isReceiptOf } from '#tasks/push/rules/receipt-token.ts'
import { recordReceipts } from '#tasks/push/rules/record-receipts.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { groupedRoute } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'

/** Maximum number of receipts in one request. A device that was offline sends its stored receipts together. */
const most = 100

const item = {
  delivery_id: Id,
  event: rows.Event.describe('`opened` and `dismissed` imply `displayed`. `displayed` implies `delivered`.'),
  token: secret(z.string().min(1).max(1_000)).describe('`receipt_token` of the delivery. Required with a public key.'),
}

const Body = z
  .strictObject({
    ...z.object(item).partial().shape,
    receipts: z
      .array(z.strictObject({ ...item, token: item.token.optional() }))
      .min(1)
      .max(most)
      .optional()
      .describe('Several receipts, instead of the other fields'),
  })
  .superRefine(({ receipts, ...single }, context) => {
    const fault = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, input: undefined })
    if (receipts) {
      for (const field of Object.keys(single)) fault(field, 'cannot be used together with `receipts`')
    } else {
      if (single.delivery_id === undefined) fault('delivery_id', 'is required')
      if (single.event === undefined) fault('event', 'is required')
    }
  })

const ReceiptResult = z
  .object({
    delivery_id: Id,
    message_id: Id,
    status: z.string(),
    delivered_at: Instant.nullable(),
    displayed_at: Instant.nullable(),
    opened_at: Instant.nullable(),
    dismissed_at: Instant.nullable(),
  })
  .meta({ id: 'push.Receipt' })

const ReceiptRefusal = z.object({ delivery_id: Id, error: z.object({ code: z.string(), message: z.string() }) })

interface ReceiptInput {
  delivery_id: string
  event: rows.Event
  token?: string | undefined
}

type ReceiptRequest = Pick<Caller, 'org' | 'key'> & { body: z.output<typeof Body>; services: Services }

export const create = groupedRoute({
  method: 'POST',
  path: '/receipts',
  summary: 'Report receipts of deliveries',
  description: `Call this on your server with \`push:receipt\` or \`push:send\`. A device can call it with a public key of the app and the \`receipt_token\` of the delivery. Repeating a receipt changes nothing. \`receipts\` contains up to ${most} receipts. The response contains the result of each, in order.`,
  scope: 'push:receipt',
  locks: ['app_id'],
  site: true,
  // The limit allows a hundred receipts, each with a token of up to about 200 characters.
  bodyLimit: 64 * 1024,
  body: Body,
  status: 200,
  reply: z.union([ReceiptResult, z.object({ receipts: z.array(z.union([ReceiptResult, ReceiptRefusal])) })]),
  problems: ['forbidden', 'not_found'],
  example: {
    body: { delivery_id: '0198f1c2-7f00-7000-8000-000000000009', event: 'opened', token: 'uK3tN0a9dXh2QyV5cW1vZw' },
  },
  async commit(tx, calls) {
    const checked = calls.map(check)
    const good = checked.flatMap((one) => (one instanceof Problem ? [] : one.flatMap(({ receipt }) => receipt ?? [])))
    const received = new Map((await recordReceipts(tx, good)).map((row) => [row.id, row]))
    return calls.map(({ body }, i) => {
      const one = checked[i] as ReceiptCheck[] | Problem
      if (one instanceof Problem) return one
      const answers = one.map((item) => answer(item, received))
      return body.receipts
        ? { receipts: answers.map((answered, at) => inPlace(answered, body.receipts?.[at])) }
        : first(answers)
    })
  },
})

const first = <T>(answers: readonly T[]): T => answers[0] as T

/** Returns the entry of the list for a rejected receipt. */
const inPlace = (answered: ReturnType<typeof answer>, given: ReceiptInput | undefined) =>
  answered instanceof Problem
    ? { delivery_id: given?.delivery_id ?? '', error: { code: answered.code, message: answered.message } }
    : answered

interface ReceiptCheck {
  receipt?: rows.Receipt
  problem?: Problem
}

/** Returns the result of checking a request’s receipts. A device must prove that it received each delivery. */
function check({ body, org, key, services }: ReceiptRequest): ReceiptCheck[] | Problem {
  const isDevice = key.prefix === 'bt_site_'
  const app_id = key.locks.app_id ?? null
  if (isDevice && app_id === null) return forbidden('A public key must be restricted to one app.')
  const given = (body.receipts ?? [body]) as ReceiptInput[]
  const bare = isDevice ? given.flatMap(({ token }, i) => (token === undefined ? [i] : [])) : []
  if (bare.length > 0) {
    const field = (i: number) => (body.receipts ? `body.receipts.${i}.token` : 'body.token')
    return badRequest(bare.map((i) => ({ field: field(i), issue: 'is required with a public key' })))
  }
  const secret = services(signingSecret)
  return given.map(({ delivery_id, event, token }) =>
    token !== undefined && !isReceiptOf(token, delivery_id, secret)
      ? { problem: forbidden('The token does not belong to this delivery.') }
      : { receipt: { delivery_id, event, org_id: org.id, app_id } },
  )
}

function answer({ receipt, problem }: ReceiptCheck, received: ReadonlyMap<string, rows.ReceiptedDelivery>) {
  if (!receipt) return problem as Problem
  const row = received.get(receipt.delivery_id)
  const isTheirs = row?.org_id === receipt.org_id && (receipt.app_id === null || receipt.app_id === row.app_id)
  if (!row || !isTheirs) return notFound('delivery')
  const { id: delivery_id, message_id, status, delivered_at, displayed_at, opened_at, dismissed_at } = row
  return { delivery_id, message_id, status, delivered_at, displayed_at, opened_at, dismissed_at }
}
