import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { kind, sampleId, sampleTime, Time } from './kind.ts'

const Key = z.strictObject({
  id: Id.describe('The key'),
  name: z.string(),
  mode: z.enum(['live', 'test']),
  expires_at: Time.nullable(),
})

const key: z.input<typeof Key> = { id: sampleId(60), name: 'shop server', mode: 'live', expires_at: null }

const Member = z.strictObject({ id: Id.describe('The member'), role: z.string() })

const member = { id: sampleId(61), role: 'developer' }

/** What the organisation itself tells of. */
export const account = {
  'account.key.created': kind('A key was made.', Key, key),
  'account.key.rotated': kind(
    'A key has another secret.',
    Key.extend({ previous_until: Time.nullable().describe('Until then the secret before is good, too') }),
    { ...key, previous_until: sampleTime },
  ),
  'account.key.expiring': kind('A key ends soon.', Key, { ...key, expires_at: sampleTime }),
  'account.key.revoked': kind('A key is good for nothing any more.', Key, key),
  'account.member.added': kind('Somebody has joined the organisation.', Member, member),
  'account.member.changed': kind('A member has another role.', Member.extend({ previous_role: z.string() }), {
    ...member,
    previous_role: 'viewer',
  }),
  'account.member.removed': kind('Somebody is a member no more.', Member, member),
  'account.usage.threshold': kind(
    'Usage of a metric has come to a part of its budget.',
    z.strictObject({
      metric: z.string(),
      period: z.string().describe('The day or month that is counted'),
      used: z.number(),
      budget: z.number(),
      percent: z.number().describe('The threshold that was passed'),
    }),
    { metric: 'email.sent', period: '2026-01', used: 8_000, budget: 10_000, percent: 80 },
  ),
}

/** What webhooks tell of themselves. */
export const webhooks = {
  'webhooks.endpoint.disabled': kind(
    'An endpoint is delivered to no more; told to the organisation’s others, whatever they ask for.',
    z.strictObject({ endpoint_id: Id, area: z.string().nullable(), url: z.string(), reason: z.string() }),
    {
      endpoint_id: sampleId(62),
      area: null,
      url: 'https://example.com/hooks',
      reason: 'The endpoint answered 410 Gone.',
    },
  ),
  'webhooks.test': kind(
    'A test: nothing has happened.',
    z.strictObject({ endpoint_id: Id, area: z.string().nullable(), note: z.string() }),
    { endpoint_id: sampleId(62), area: null, note: 'This is a test; nothing has happened.' },
  ),
}
