import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/verify/prefixes.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { PhonePrefix } from './fields.ts'

const params = z.object({ prefix: PhonePrefix })

const Prefix = z
  .object({
    id: Id,
    prefix: z.string().describe('First digits of the phone numbers'),
    state: rows.State.describe('`blocked`: the numbers get no codes. `allowed`: they are never blocked automatically.'),
    source: z.enum(['automatic', 'manual']),
    starts: z.int().describe('Verifications in the hour before an automatic block'),
    approved: z.int().describe('Verifications of them that were approved'),
    ends_at: Instant.nullable().describe('Time when the decision ends. `null` if it has no end.'),
    created_at: Instant,
  })
  .meta({ id: 'verify.Prefix' })

const present = ({ org_id: _, ...prefix }: rows.Prefix): z.input<typeof Prefix> => prefix

export const list = listRoute({
  path: '/prefixes',
  summary: 'List decisions about ranges of phone numbers',
  description: 'Returns the ranges that are blocked or always allowed, newest first.',
  scope: 'verify:read',
  filters: rows.filters,
  query: { state: rows.State.optional() },
  item: Prefix,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const set = route({
  method: 'PUT',
  path: '/prefixes/{prefix}',
  summary: 'Block or allow a range of phone numbers',
  description:
    'Replaces the earlier decision about the range. The decision about the longest prefix of a number applies. Encode `+` as `%2B` in the URL.',
  scope: 'verify:write',
  params,
  body: z.strictObject({
    state: rows.State,
    hours: z.int().min(1).max(8_760).optional().describe('Hours until the decision ends. Default: no end.'),
  }),
  status: 200,
  reply: Prefix,
  example: { body: { state: 'allowed', hours: 24 } },
  async handle({ params: { prefix }, body: { state, hours = null }, org, db }) {
    const decision = { org_id: org.id, prefix, state, source: 'manual' as const, starts: 0, approved: 0, hours }
    return present(await rows.decide(db, decision))
  },
})

export const remove = removeRoute({
  path: '/prefixes/{prefix}',
  summary: 'Delete a decision about a range',
  description: 'The range is watched again, and can be blocked automatically.',
  scope: 'verify:write',
  params,
  what: 'decision',
  reply: { prefix: PhonePrefix },
  remove: ({ params: { prefix }, org, db }) => rows.remove(db, org.id, prefix),
})
