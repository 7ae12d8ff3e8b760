import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Inbound = z.strictObject({
  id: Id.describe('Message ID'),
  from: z.string().describe('Phone number of the sender'),
  to: z.string().nullable().describe('Number that received the message'),
  text: z.string(),
  keyword: z
    .enum(['stop', 'start', 'help'])
    .nullable()
    .describe('Request of the person. `stop` adds an opt-out, `start` removes it.'),
  provider_id: Id,
  received_at: Time,
})

const Outbound = z.strictObject({
  id: Id.describe('Message ID'),
  to: z.string(),
  from: z.string().nullable().describe('Sender. `null` if the provider chooses it.'),
  status: z.enum(['sent', 'delivered', 'undelivered', 'failed', 'unknown']),
  segments: z.number().describe('Number of parts that are billed'),
  error: z.strictObject({ code: z.string(), message: z.string(), provider_code: z.string().nullable() }).nullable(),
  client_reference: z.string().nullable(),
  sandbox: z.literal(true).optional().describe('True for a test key: nothing was delivered'),
})

const status = (name: z.input<typeof Outbound>['status'], summary: string) =>
  kind(summary, Outbound, {
    id: createSampleId(60),
    to: '+3725550123',
    from: '+3725550100',
    status: name,
    segments: 1,
    error:
      name === 'failed' || name === 'undelivered'
        ? {
            code: 'recipient_unreachable',
            message: 'The phone is switched off, or cannot be reached.',
            provider_code: '30003',
          }
        : null,
    client_reference: 'order-17',
  })

const OptOut = z.strictObject({
  id: Id.describe('Opt-out ID'),
  phone: z.string().nullable().describe('`null` if the person was erased'),
  from: z.string().nullable().describe('Sender to which the opt-out is limited. `null` for all senders.'),
  source: z.enum(['keyword', 'api', 'provider']),
  keyword: z.string().nullable().describe('Text that the person sent'),
})

const optOut: z.input<typeof OptOut> = {
  id: createSampleId(61),
  phone: '+3725550123',
  from: null,
  source: 'keyword',
  keyword: 'STOP',
}

export const sms = {
  'sms.message.received': kind('A text message has arrived.', Inbound, {
    id: createSampleId(62),
    from: '+3725550123',
    to: '+3725550100',
    text: 'Is it open today?',
    keyword: null,
    provider_id: createSampleId(63),
    received_at: sampleTime,
  }),
  'sms.message.sent': status('sent', 'The provider has accepted a text message.'),
  'sms.message.delivered': status('delivered', 'A text message has reached the phone.'),
  'sms.message.undelivered': status('undelivered', 'The network did not deliver a text message.'),
  'sms.message.failed': status('failed', 'A text message was not sent.'),
  'sms.message.unknown': status(
    'unknown',
    'It is unknown whether a text message was sent, because the provider did not respond.',
  ),
  'sms.opt_out.created': kind('A person does not want more text messages.', OptOut, optOut),
  'sms.opt_out.removed': kind('A person accepts text messages again.', OptOut, optOut),
}
