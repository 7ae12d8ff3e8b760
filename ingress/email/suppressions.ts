import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/contacts/suppressions.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'

const hasComplained = problem(
  409,
  'complaint_stays',
  'The recipient has complained. The suppression cannot be removed.',
)

const Suppression = z
  .object({
    email: z.string(),
    reason: rows.Reason,
    detail: z.string().nullable().describe('Response from the receiving server, or your note'),
    message_id: Id.nullable().describe('Message that caused the suppression'),
    created_at: Instant,
  })
  .meta({ id: 'email.Suppression' })

export const list = listRoute({
  path: '/suppressions',
  summary: 'List suppressed addresses, newest first',
  description: 'Returns the addresses that receive no email, with the reason. Use `email` to search for one address.',
  scope: 'email:manage',
  filters: rows.filters,
  query: { email: Address.optional(), reason: rows.Reason.optional() },
  item: Suppression,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row) => row,
})

export const create = route({
  method: 'POST',
  path: '/suppressions',
  repeatable: true,
  summary: 'Suppress an address',
  description: 'Nothing is sent to the address on any stream until you remove the suppression.',
  scope: 'email:manage',
  body: z.strictObject({ email: Address, detail: z.string().max(500).optional() }),
  status: 201,
  reply: z.object({ email: z.string(), reason: rows.Reason }),
  async handle({ body: { email, detail = null }, org, db }) {
    await rows.insertMany(db, [{ org_id: org.id, email, reason: 'manual', message_id: null, detail }])
    return { email, reason: 'manual' as const }
  },
})

export const remove = removeRoute({
  path: '/suppressions/{email}',
  summary: 'Remove a suppression',
  description: 'An address whose recipient has complained stays suppressed.',
  scope: 'email:manage',
  params: z.object({ email: Address }),
  reply: { email: z.string() },
  problems: [hasComplained],
  what: 'suppression',
  async remove({ params: { email }, org, db }) {
    const reasons = await rows.remove(db, org.id, email)
    if (reasons.includes('complaint'))
      throw hasComplained('The recipient has complained. The address stays suppressed.')
    return reasons.length > 0
  },
})
