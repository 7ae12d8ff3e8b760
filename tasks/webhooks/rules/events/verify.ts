import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Verification = z.strictObject({
  id: Id.describe('Verification ID'),
  status: z.enum(['pending', 'undeliverable', 'approved', 'failed', 'expired', 'canceled']),
  channel: z.enum(['sms', 'whatsapp', 'voice', 'email']).describe('Channel of the last code'),
  to: z.string().describe('Recipient, partly masked'),
  user_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  attempts: z.number().describe('Number of checked codes'),
  sends: z.number().describe('Number of codes that were requested'),
  reason: z
    .string()
    .nullable()
    .describe('Reason why the verification or its delivery failed. For example, `too_many_attempts` or `hard`.'),
  sandbox: z.literal(true).optional().describe('True for a test key: nothing was delivered'),
})

const verification = (
  status: z.input<typeof Verification>['status'],
  summary: string,
  more: Partial<z.input<typeof Verification>> = {},
) =>
  kind(summary, Verification, {
    id: createSampleId(48),
    status,
    channel: 'sms',
    to: '+3725*****12',
    user_id: 'user-17',
    metadata: { form: 'sign-up' },
    attempts: 1,
    sends: 1,
    reason: null,
    ...more,
  })

const BlockedPrefix = z.strictObject({
  prefix: z.string().describe('First digits of the phone numbers that get no codes'),
  starts: z.number().describe('Verifications within the last hour'),
  approved: z.number().describe('Verifications that were approved'),
  ends_at: Time.nullable().describe('Time when the range is watched again'),
})

export const verify = {
  'verify.sent': verification('pending', 'A code was accepted for sending.', { attempts: 0 }),
  'verify.approved': verification('approved', 'A person entered the right code.'),
  'verify.failed': verification('failed', 'Too many wrong codes were entered.', {
    attempts: 5,
    reason: 'too_many_attempts',
  }),
  'verify.expired': verification('expired', 'A verification ended without the right code.', { attempts: 0 }),
  'verify.canceled': verification('canceled', 'A verification was cancelled.', { attempts: 0 }),
  'verify.undeliverable': verification('undeliverable', 'A code could not be delivered on any channel.', {
    attempts: 0,
    reason: 'no_answer',
  }),
  'verify.prefix_blocked': kind(
    'A range of phone numbers was blocked, because few of its many codes were entered.',
    BlockedPrefix,
    { prefix: '+3725123', starts: 20, approved: 0, ends_at: sampleTime },
  ),
}
