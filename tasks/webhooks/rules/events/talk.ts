import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const sandbox = z.literal(true).optional().describe('True for a test key: nothing was delivered')

const Inbound = z.strictObject({
  id: Id.describe('Message ID'),
  from: z.string().describe('Phone number of the sender'),
  type: z.string().describe('Message type. For example, `text`, `image` or `location`.'),
  content: z.record(z.string(), z.unknown()).describe('Content in the format of the Cloud API'),
  in_reply_to: z.string().nullable().describe('Provider’s ID of the quoted message'),
  reply: z
    .strictObject({ id: z.string(), title: z.string() })
    .nullable()
    .describe('ID with which the selected button or row was sent'),
  has_media: z
    .boolean()
    .describe(
      'True if the message contains a file. `whatsapp.media.stored` is sent after the file has passed the malware scan.',
    ),
  sent_at: Time,
})

const Outbound = z.strictObject({
  id: Id.describe('Message ID'),
  to: z.string(),
  status: z.enum(['accepted', 'sent', 'delivered', 'read', 'failed', 'unknown']),
  error: z.strictObject({ code: z.string(), message: z.string(), provider_code: z.number().nullable() }).nullable(),
  client_reference: z.string().nullable(),
  sandbox,
})

const status = (name: z.input<typeof Outbound>['status'], summary: string) =>
  kind(summary, Outbound, {
    id: createSampleId(40),
    to: '+15550100',
    status: name,
    error:
      name === 'failed'
        ? { code: 'undeliverable', message: 'The message cannot be delivered.', provider_code: 131026 }
        : null,
    client_reference: 'order-17',
  })

const Media = z.strictObject({
  message_id: Id.describe('Message that contained the file'),
  from: z.string().describe('Phone number of the sender'),
  type: z.string().describe('`image`, `video`, `audio`, `document` or `sticker`'),
  object_id: Id.nullable().describe(
    'Object in the files area. `POST /v1/files/objects/{id}/download-url` returns a download URL.',
  ),
  content_type: z.string().nullable(),
  byte_size: z.number().nullable(),
  reason: z.string().nullable().describe('For example, `infected`, `suspicious`, `unscannable`, `too_large` or `gone`'),
})

const media = (state: 'stored' | 'refused' | 'failed', summary: string) =>
  kind(summary, Media, {
    message_id: createSampleId(45),
    from: '+15550100',
    type: 'image',
    object_id: state === 'failed' ? null : createSampleId(46),
    content_type: state === 'failed' ? null : 'image/jpeg',
    byte_size: state === 'failed' ? null : 48_213,
    reason: state === 'stored' ? null : state === 'refused' ? 'infected' : 'gone',
  })

const ReviewedTemplate = z.strictObject({
  id: z.string().describe('Template ID at WhatsApp'),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string().describe('For example, `APPROVED`, `PENDING`, `REJECTED`, `PAUSED` or `DISABLED`'),
  previous_status: z.string(),
  reason: z.string().nullable().describe('Reason for the rejection'),
})

const BusinessNumber = z.strictObject({
  id: Id.describe('Number ID'),
  phone_number_id: z.string(),
  business_account_id: z.string(),
  display_phone: z.string().nullable(),
  verified_name: z.string().nullable(),
})

const number: z.input<typeof BusinessNumber> = {
  id: createSampleId(47),
  phone_number_id: '106540352242922',
  business_account_id: '102290129340398',
  display_phone: '+1 555 0100',
  verified_name: 'Shop',
}

export const whatsapp = {
  'whatsapp.message.received': kind('A message to the business number has arrived.', Inbound, {
    id: createSampleId(41),
    from: '+15550100',
    type: 'text',
    content: { body: 'Is it open today?' },
    in_reply_to: null,
    reply: null,
    has_media: false,
    sent_at: sampleTime,
  }),
  'whatsapp.message.accepted': status('accepted', 'The provider has accepted a message.'),
  'whatsapp.message.sent': status('sent', 'The provider has sent a message.'),
  'whatsapp.message.delivered': status('delivered', 'A message has reached the phone.'),
  'whatsapp.message.read': status('read', 'A message was read.'),
  'whatsapp.message.failed': status('failed', 'A message could not be sent or delivered.'),
  'whatsapp.message.unknown': status(
    'unknown',
    'It is unknown whether a message was sent, because the provider did not respond.',
  ),
  'whatsapp.media.stored': media('stored', 'A received file is clean and can be downloaded.'),
  'whatsapp.media.refused': media('refused', 'A received file did not pass the malware scan.'),
  'whatsapp.media.failed': media('failed', 'A received file could not be downloaded.'),
  'whatsapp.template.changed': kind('The review status of a template has changed.', ReviewedTemplate, {
    id: '594425479261596',
    name: 'order_shipped',
    language: 'en',
    category: 'UTILITY',
    status: 'APPROVED',
    previous_status: 'PENDING',
    reason: null,
  }),
  'whatsapp.number.connected': kind('Your own number is connected. Messages are sent from it.', BusinessNumber, number),
  'whatsapp.number.removed': kind('Your own number was removed.', BusinessNumber, number),
}

const Call = z.strictObject({
  id: Id.describe('Call ID'),
  status: z.string(),
  reason: z.string().nullable().describe('Reason why the call ended'),
  ended_by: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  created_at: Time,
  answered_at: Time.nullable(),
  ended_at: Time.nullable(),
  duration_seconds: z.number().nullable().describe('Connection time in seconds. `null` until the call has ended.'),
  sandbox,
})

const call: z.input<typeof Call> = {
  id: createSampleId(42),
  status: 'in_progress',
  reason: null,
  ended_by: null,
  metadata: { order: '17' },
  created_at: sampleTime,
  answered_at: '2026-01-01T12:00:09.000Z',
  ended_at: null,
  duration_seconds: null,
}

export const voice = {
  'voice.call.ringing': kind('A phone in a call is ringing.', Call, { ...call, status: 'ringing', answered_at: null }),
  'voice.call.answered': kind('Both parties of a call are connected.', Call, call),
  'voice.call.ended': kind('A call has ended, or was not connected.', Call, {
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
  channels: z.array(z.string()).describe('Channels that notify the person'),
  sandbox,
})

const EndedRun = z.strictObject({
  id: Id.describe('Run ID. The trace of the run contains each step.'),
  workflow: z.string().describe('Key of the workflow'),
  version: z.number(),
  event_id: Id.describe('Event that started the run'),
  user_id: z.string(),
  state: z.string().describe('`completed`, `stopped`, `cancelled` or `failed`'),
  reason: z.string().nullable().describe('Reason why the run ended'),
})

const ChatMessage = z.strictObject({
  id: Id.describe('Chat message ID'),
  connection_id: Id,
  event_id: Id.nullable(),
  user_id: z.string().nullable(),
  status: z.enum(['sent', 'unknown', 'failed']),
  error: z.strictObject({ code: z.string(), message: z.string(), http_status: z.number().nullable() }).nullable(),
})

const chat = (status: z.input<typeof ChatMessage>['status'], summary: string) =>
  kind(summary, ChatMessage, {
    id: createSampleId(64),
    connection_id: createSampleId(65),
    event_id: createSampleId(43),
    user_id: createSampleId(44),
    status,
    error:
      status === 'failed'
        ? { code: 'refused', message: 'The server rejected the message.', http_status: 400 }
        : status === 'unknown'
          ? { code: 'no_response', message: 'The server did not respond.', http_status: null }
          : null,
  })

const ChatConnection = z.strictObject({
  id: Id.describe('Connection ID'),
  kind: z.enum(['slack', 'teams', 'discord', 'url']),
  name: z.string(),
  host: z.string().describe('Host of the URL'),
  reason: z.string().nullable().describe('Reason why the connection was disabled'),
})

const connection: z.input<typeof ChatConnection> = {
  id: createSampleId(65),
  kind: 'slack',
  name: '#orders',
  host: 'hooks.slack.com',
  reason: null,
}

export const notify = {
  'notify.chat.sent': chat('sent', 'A chat service has accepted a message.'),
  'notify.chat.failed': chat('failed', 'A message to a chat service failed.'),
  'notify.chat.unknown': chat('unknown', 'It is unknown whether a chat service has a message.'),
  'notify.connection.verified': kind('A test message has arrived. The connection is active.', ChatConnection, connection),
  'notify.connection.disabled': kind('The URL of a connection does not exist any more.', ChatConnection, {
    ...connection,
    reason: 'The server returned 404.',
  }),
  'notify.event.accepted': kind(
    'A notification was accepted and will be sent to the person’s preferred channels.',
    Notification,
    {
      id: createSampleId(43),
      user_id: createSampleId(44),
      product_key: 'shop',
      type: 'order.shipped',
      channels: ['in_app', 'email'],
    },
  ),
  'notify.run.ended': kind('A workflow run has ended or was stopped.', EndedRun, {
    id: createSampleId(45),
    workflow: 'order-shipped',
    version: 3,
    event_id: createSampleId(43),
    user_id: createSampleId(44),
    state: 'completed',
    reason: null,
  }),
}
