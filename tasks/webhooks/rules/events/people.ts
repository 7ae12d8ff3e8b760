import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const ConsentChange = z.strictObject({
  user_id: z.string().describe('Your own ID for the person'),
  channel: z.enum(['email', 'push', 'whatsapp', 'sms']),
  state: z.enum(['granted', 'denied']),
  previous_state: z.enum(['granted', 'denied', 'pending', 'none']),
  source: z.string().describe('Where the person decided'),
  at: Time,
})

const Erased = z.strictObject({
  erasure_id: Id.describe('Erasure. `GET /v1/people/erasures/{id}` returns its receipt.'),
  user_id: z.string().describe('Your own ID for the person'),
  rows: z.number().describe('Number of rows that were deleted, anonymised or kept as a hash'),
  objects: z.number().describe('Number of stored files that were deleted'),
})

export const people = {
  'people.consent_changed': kind('The consent of a person for a channel has changed.', ConsentChange, {
    user_id: 'user-17',
    channel: 'email',
    state: 'denied',
    previous_state: 'granted',
    source: 'preference centre',
    at: sampleTime,
  }),
  'people.erased': kind('A person was erased. The receipt is complete.', Erased, {
    erasure_id: createSampleId(70),
    user_id: 'user-17',
    rows: 42,
    objects: 2,
  }),
}
