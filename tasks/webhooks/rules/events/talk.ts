import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { kind, sampleId, sampleTime, Time } from './kind.ts'

const sandbox = z.literal(true).optional().describe('Of a test key: it reached nobody')

const Inbound = z.strictObject({
  id: Id.describe('The message'),
  from: z.string().describe('The telephone number that wrote'),
  type: z.string().describe('text, image, location, …'),
  content: z.record(z.string(), z.unknown()).describe('What it says, as the Cloud API tells it'),
  in_reply_to: z.string().nullable().describe('The provider’s id of the message that it quotes'),
  reply: z
    .strictObject({ id: z.string(), title: z.string() })
    .nullable()
    .describe('The button or row that was chosen, by the id that it was sent with'),
  has_media: z
    .boolean()
    .describe('It is a file: `whatsapp.media.stored` follows once the malware gate has let it pass'),
  sent_at: Time,
})

const Outbound = z.strictObject({
  id: Id.describe('The message'),
  to: z.string(),
  status: z.enum(['accepted', 'sent', 'delivered', 'read', 'failed', 'unknown']),
  error: z.strictObject({ code: z.string(), message: z.string(), provider_code: z.number().nullable() }).nullable(),
  client_reference: z.string().nullable(),
  sandbox,
})

const status = (name: z.input<typeof Outbound>['status'], summary: string) =>
  kind(summary, Outbound, {
    id: sampleId(40),
    to: '+15550100',
    status: name,
    error:
      name === 'failed' ? { code: 'undeliverable', message: 'It cannot be delivered.', provider_code: 131026 } : null,
    client_reference: 'order-17',
  })

const Media = z.strictObject({
  message_id: Id.describe('The message that came with it'),
  from: z.string().describe('The telephone number that sent it'),
  type: z.string().describe('image, video, audio, document or sticker'),
  object_id: Id.nullable().describe('In the area files: POST /v1/files/objects/{id}/download-url'),
  content_type: z.string().nullable(),
  byte_size: z.number().nullable(),
  reason: z.string().nullable().describe('`infected`, `suspicious`, `unscannable`; `too_large`, `gone`, …'),
})

const media = (state: 'stored' | 'refused' | 'failed', summary: string) =>
  kind(summary, Media, {
    message_id: sampleId(45),
    from: '+15550100',
    type: 'image',
    object_id: state === 'failed' ? null : sampleId(46),
    content_type: state === 'failed' ? null : 'image/jpeg',
    byte_size: state === 'failed' ? null : 48_213,
    reason: state === 'stored' ? null : state === 'refused' ? 'infected' : 'gone',
  })

const ReviewedTemplate = z.strictObject({
  id: z.string().describe('The template’s id at WhatsApp'),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string().describe('`APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, …'),
  previous_status: z.string(),
  reason: z.string().nullable().describe('Why it was rejected'),
})

const BusinessNumber = z.strictObject({
  id: Id.describe('The number'),
  phone_number_id: z.string(),
  business_account_id: z.string(),
  display_phone: z.string().nullable(),
  verified_name: z.string().nullable(),
})

const number: z.input<typeof BusinessNumber> = {
  id: sampleId(47),
  phone_number_id: '106540352242922',
  business_account_id: '102290129340398',
  display_phone: '+1 555 0100',
  verified_name: 'Shop',
}

/** What WhatsApp tells of. */
export const whatsapp = {
  'whatsapp.message.received': kind('Somebody wrote to the business number.', Inbound, {
    id: sampleId(41),
    from: '+15550100',
    type: 'text',
    content: { body: 'Is it open today?' },
    in_reply_to: null,
    reply: null,
    has_media: false,
    sent_at: sampleTime,
  }),
  'whatsapp.message.accepted': status('accepted', 'The provider has taken a message.'),
  'whatsapp.message.sent': status('sent', 'A message is on its way.'),
  'whatsapp.message.delivered': status('delivered', 'A message is on the telephone.'),
  'whatsapp.message.read': status('read', 'A message was read.'),
  'whatsapp.message.failed': status('failed', 'A message was not sent, or did not arrive.'),
  'whatsapp.message.unknown': status('unknown', 'It is not known whether a message was sent: no answer came.'),
  'whatsapp.media.stored': media('stored', 'A file that somebody sent was found clean and can be downloaded.'),
  'whatsapp.media.refused': media('refused', 'A file that somebody sent did not pass the malware gate.'),
  'whatsapp.media.failed': media('failed', 'A file that somebody sent could not be fetched.'),
  'whatsapp.template.changed': kind('The review of a template went on.', ReviewedTemplate, {
    id: '594425479261596',
    name: 'order_shipped',
    language: 'en',
    category: 'UTILITY',
    status: 'APPROVED',
    previous_status: 'PENDING',
    reason: null,
  }),
  'whatsapp.number.connected': kind(
    'A number of your own is connected: messages go out by it.',
    BusinessNumber,
    number,
  ),
  'whatsapp.number.removed': kind('A number of your own was removed.', BusinessNumber, number),
}

const Call = z.strictObject({
  id: Id.describe('The call'),
  status: z.string(),
  reason: z.string().nullable().describe('Why it ended'),
  ended_by: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  created_at: Time,
  answered_at: Time.nullable(),
  ended_at: Time.nullable(),
  duration_seconds: z.number().nullable().describe('For how long it was connected; null until it has ended'),
  sandbox,
})

const call: z.input<typeof Call> = {
  id: sampleId(42),
  status: 'in_progress',
  reason: null,
  ended_by: null,
  metadata: { order: '17' },
  created_at: sampleTime,
  answered_at: '2026-01-01T12:00:09.000Z',
  ended_at: null,
  duration_seconds: null,
}

/** What calls tell of. */
export const voice = {
  'voice.call.ringing': kind('A telephone of a call rings.', Call, { ...call, status: 'ringing', answered_at: null }),
  'voice.call.answered': kind('Both sides of a call are connected.', Call, call),
  'voice.call.ended': kind('A call is over, or never came about.', Call, {
    ...call,
    status: 'completed',
    reason: 'hung_up',
    ended_by: 'a',
    ended_at: '2026-01-01T12:01:00.000Z',
    duration_seconds: 51,
  }),
}

const Notification = z.strictObject({
  id: Id,
  user_id: z.string(),
  product_key: z.string(),
  type: z.string(),
  channels: z.array(z.string()).describe('The channels by which the person is told'),
  sandbox,
})

const EndedRun = z.strictObject({
  id: Id.describe('The run, whose trace has each step'),
  workflow: z.string().describe('Its key'),
  version: z.number(),
  event_id: Id.describe('The event that it began with'),
  user_id: z.string(),
  state: z.string().describe('`completed`, `stopped`, `cancelled` or `failed`'),
  reason: z.string().nullable().describe('Why it went no further'),
})

/** What notifications tell of. */
export const notify = {
  'notify.event.accepted': kind('A person is told of something, by the channels that they prefer.', Notification, {
    id: sampleId(43),
    user_id: sampleId(44),
    product_key: 'shop',
    type: 'order.shipped',
    channels: ['in_app', 'email'],
  }),
  'notify.run.ended': kind('A person has come to the end of a workflow, or it was stopped before.', EndedRun, {
    id: sampleId(45),
    workflow: 'order-shipped',
    version: 3,
    event_id: sampleId(43),
    user_id: sampleId(44),
    state: 'completed',
    reason: null,
  }),
}
