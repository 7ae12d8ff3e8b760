import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Delivery = z.strictObject({
  message_id: Id,
  delivery_id: Id,
  app_id: Id,
  user_id: z.string().nullable(),
  installation_id: Id,
  provider: z.string(),
})

const delivery: z.input<typeof Delivery> = {
  message_id: createSampleId(20),
  delivery_id: createSampleId(21),
  app_id: createSampleId(22),
  user_id: 'ada',
  installation_id: createSampleId(23),
  provider: 'fcm',
}

const Receipt = Delivery.extend({ delivered_at: Time.optional(), opened_at: Time.optional() })

export const push = {
  'push.delivered': kind('A device reports that it displayed a message.', Receipt, {
    ...delivery,
    delivered_at: sampleTime,
  }),
  'push.failed': kind(
    'A message did not reach a device.',
    Delivery.extend({ status: z.enum(['failed', 'expired']), reason: z.string().nullable() }),
    { ...delivery, status: 'failed', reason: 'invalid_token' },
  ),
  'push.opened': kind('A device reports that a message was opened.', Receipt, {
    ...delivery,
    delivered_at: sampleTime,
    opened_at: '2026-01-01T12:00:05.000Z',
  }),
  'push.installation.invalidated': kind(
    'The token of a device is invalid. The device receives no further messages.',
    Delivery.omit({ message_id: true, delivery_id: true }).extend({ reason: z.string().nullable() }),
    {
      installation_id: createSampleId(23),
      app_id: createSampleId(22),
      user_id: 'ada',
      provider: 'fcm',
      reason: 'UNREGISTERED',
    },
  ),
}
