import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Key = z.strictObject({
  id: Id.describe('Key ID'),
  name: z.string(),
  mode: z.enum(['live', 'test']),
  expires_at: Time.nullable(),
})

const key: z.input<typeof Key> = { id: createSampleId(60), name: 'shop server', mode: 'live', expires_at: null }

const Member = z.strictObject({ id: Id.describe('Member ID'), role: z.string() })

const member = { id: createSampleId(61), role: 'developer' }

const Stream = z.strictObject({
  stream_id: Id,
  name: z.string(),
  kind: z.enum(['s3', 'otlp', 'syslog', 'splunk']),
  failing_since: Time.describe('Start of the failures'),
})

const stream: z.input<typeof Stream> = {
  stream_id: createSampleId(63),
  name: 'Audit archive',
  kind: 's3',
  failing_since: sampleTime,
}

export const account = {
  'account.key.created': kind('An API key was created.', Key, key),
  'account.key.rotated': kind(
    'An API key has a new secret.',
    Key.extend({ previous_until: Time.nullable().describe('Time until which the previous secret is also valid') }),
    { ...key, previous_until: sampleTime },
  ),
  'account.key.expiring': kind('An API key expires soon.', Key, { ...key, expires_at: sampleTime }),
  'account.key.revoked': kind('An API key was revoked or has expired.', Key, key),
  'account.member.added': kind('A member has joined the organisation.', Member, member),
  'account.member.changed': kind('The role of a member has changed.', Member.extend({ previous_role: z.string() }), {
    ...member,
    previous_role: 'viewer',
  }),
  'account.member.removed': kind('A member has left the organisation or was removed.', Member, member),
  'account.stream.failing': kind(
    'The server of a log stream has accepted no records for 15 minutes.',
    Stream.extend({ error: z.string().describe('Last error, without secrets') }),
    { ...stream, error: 'The server returned 503.' },
  ),
  'account.stream.recovered': kind('The server of a log stream accepts records again.', Stream, stream),
  'account.usage.threshold': kind(
    'Usage of a metric has reached a share of its budget.',
    z.strictObject({
      metric: z.string(),
      period: z.string().describe('Day or month of the usage'),
      used: z.number(),
      budget: z.number(),
      percent: z.number().describe('Threshold in percent that was reached'),
    }),
    { metric: 'email.sent', period: '2026-01', used: 8_000, budget: 10_000, percent: 80 },
  ),
}

export const webhooks = {
  'webhooks.endpoint.disabled': kind(
    'An endpoint was disabled. Sent to the organisation’s other endpoints, regardless of their types.',
    z.strictObject({ endpoint_id: Id, area: z.string().nullable(), url: z.string(), reason: z.string() }),
    {
      endpoint_id: createSampleId(62),
      area: null,
      url: 'https://example.com/hooks',
      reason: 'The endpoint returned 410 Gone.',
    },
  ),
  'webhooks.test': kind(
    'Test event. Nothing has happened.',
    z.strictObject({ endpoint_id: Id, area: z.string().nullable(), note: z.string() }),
    { endpoint_id: createSampleId(62), area: null, note: 'This is a test. Nothing has happened.' },
  ),
}
