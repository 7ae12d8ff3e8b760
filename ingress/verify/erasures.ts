import { z } from 'zod'
import * as rows from '#sql/verify/verifications.ts'
import { route } from '../http/route.ts'
import { UserId } from './fields.ts'
import { toSearched } from './recipient.ts'

export const create = route({
  method: 'POST',
  path: '/erasures',
  summary: 'Delete the verifications of a person',
  description:
    'Deletes verifications by your ID of the person, by recipient, or by both. Their codes are no longer valid. Counts of limits are kept under hashes for two days.',
  scope: 'verify:write',
  repeatable: true,
  body: z
    .strictObject({
      user_id: UserId.optional().describe('Your ID of the person'),
      to: z.string().min(1).max(320).transform(toSearched).optional().describe('Phone number or email address'),
    })
    .refine(({ user_id, to }) => user_id !== undefined || to !== undefined, {
      path: ['user_id'],
      error: 'is required, or `to`',
    }),
  status: 200,
  reply: z.object({ deleted: z.int().describe('Number of deleted verifications') }).meta({ id: 'verify.Erasure' }),
  example: { body: { user_id: 'user-17' }, reply: { deleted: 3 } },
  async handle({ body: { user_id: userId, to: recipient }, org, db }) {
    return { deleted: await rows.removePerson(db, org.id, { userId, recipient }) }
  },
})
