import { timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest, type Fault, notFound, unauthorized } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import * as orgs from '#sql/account/orgs.ts'
import { report } from '#tasks/identity/rules/decide.ts'
import { computeSignature } from '#tasks/webhooks/rules/sign.ts'
import { readBody } from '../http/request/body.ts'
import { parseWithFaults } from '../http/request/issues.ts'
import { parseJson } from '../http/request/json.ts'
import { route } from '../http/route.ts'
import { Report, toDecision } from './checks.ts'
import { toStoredSubject } from './subject.ts'

const bodyBytes = 16 * 1024

/** Allowed clock skew in seconds. */
const tolerance = 5 * 60

const Event = z.strictObject({
  type: z.literal('identity.check.decided'),
  // A time in the future is rejected, because all later reports would then count as late.
  timestamp: InstantInput.transform((text) => new Date(text)).refine(
    (at) => at.getTime() <= Date.now() + tolerance * 1000,
    'must not be in the future',
  ),
  data: Report.extend({ org_id: Id }),
})

/**
 * Receives decisions from the verification provider (Standard Webhooks 1.0). A decision that arrives late has no
 * effect.
 */
export const receive = route({
  method: 'POST',
  path: '/webhook',
  summary: 'Receive a decision of a verification provider',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 600, by: 'ip' },
  status: 200,
  raw: 'application/json',
  problems: ['bad_request', 'not_found', 'unauthorized', 'payload_too_large'],
  async handle({ ctx, db }) {
    const secret = config.IDENTITY_WEBHOOK_SECRET
    if (secret === undefined) throw notFound('path')
    const bytes = await readBody(ctx.req, ctx.res, bodyBytes)
    checkSignature(ctx, bytes.toString(), secret)
    const faults: Fault[] = []
    const event = parseWithFaults(Event, parseJson(bytes.toString()), 'body', faults)
    if (faults.length > 0) throw badRequest(faults)
    const { timestamp, data } = event as z.output<typeof Event>
    if ((await orgs.find(db, data.org_id)) === null) throw notFound('organisation')
    const about = { org_id: data.org_id, subject: toStoredSubject(data.idp_sub), requirement: data.requirement }
    const by = { method: 'webhook', at: timestamp } as const
    const recorded = await db.transaction((tx) => report(tx, about, toDecision(data), by))
    ctx.body = JSON.stringify({ recorded: recorded !== null })
  },
})

/** Throws 401 unless a signature is valid and the delivery is recent. */
function checkSignature(ctx: Context, body: string, secret: string): void {
  const [id, timestamp, given] = ['id', 'timestamp', 'signature'].map((name) => ctx.get(`webhook-${name}`)) as [
    string,
    string,
    string,
  ]
  const isNow = Math.abs(Date.now() / 1000 - Number(timestamp)) <= tolerance
  const expected = Buffer.from(computeSignature(secret, `${id}.${timestamp}.${body}`))
  const isSigned = given.split(' ').some((one) => {
    const bytes = Buffer.from(one)
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
  if (id === '' || !isNow || !isSigned) throw unauthorized('The signature of this delivery is invalid.')
}
