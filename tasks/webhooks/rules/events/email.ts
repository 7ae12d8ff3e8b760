import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { RecipientKind, Tag, table } from '#sql/email/messages.ts'
import { kind, sampleId } from './kind.ts'
import { received } from './received.ts'

const Message = z.strictObject({
  id: Id.describe('The message'),
  message_id: z.string().describe('Its Message-ID'),
  stream: table.Row.shape.stream,
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  status: z.string(),
  campaign_id: Id.nullable(),
  reply_class: z.string().nullable().describe('What the answer of the recipient’s server is taken for'),
  reason: z.string().nullable(),
  sandbox: z.boolean().describe('Of a sandbox key: nothing was sent'),
  recipient: RecipientKind.describe('Whether the message is to the recipient, or a copy'),
  copy_of: Id.nullable().describe('Of a copy: the message that it is of, whose Message-ID it has'),
  send_at: z.string().nullable().describe('Of one that was given a time: when that is'),
  tags: z.array(Tag).describe('As it was sent with'),
  metadata: z.record(z.string(), z.unknown()).nullable().describe('As it was sent with'),
})

const sample = (status: string, more: Partial<z.input<typeof Message>> = {}): z.input<typeof Message> => ({
  id: sampleId(1),
  message_id: '<0198f1c2@mail.example.com>',
  stream: 'transactional',
  from: 'shop@example.com',
  to: 'ada@example.org',
  subject: 'Your order',
  status,
  campaign_id: null,
  reply_class: null,
  reason: null,
  sandbox: false,
  recipient: 'to',
  copy_of: null,
  send_at: null,
  tags: [{ name: 'category', value: 'order' }],
  metadata: { order: 1042 },
  ...more,
})

const message = (status: string, summary: string, more?: Partial<z.input<typeof Message>>) =>
  kind(summary, Message, sample(status, more))

const Contact = z.strictObject({
  id: Id.describe('The contact'),
  email: z.string(),
  source: z.enum(['api', 'page', 'one_click', 'mail', 'complaint']).describe('How it is known'),
  message_id: Id.nullable().describe('The message whose link, header or mailbox was used'),
  sandbox: z.literal(true).optional().describe('Of a contact whom only sandbox keys know'),
})

const contact = { id: sampleId(2), email: 'ada@example.org', source: 'page' as const, message_id: sampleId(1) }

const Campaign = z.strictObject({
  id: Id.describe('The campaign'),
  name: z.string(),
  subject: z.string(),
  recipients: z.int().describe('Confirmed contacts when it began'),
  expanded: z.int().describe('Contacts that were gone through'),
  blocked: z.int().describe('Contacts that get none'),
  reason: z.string().nullable().describe('Why it is paused'),
  sandbox: z.boolean().describe('Of a sandbox key: nothing was sent'),
})

const campaign = (summary: string, more: Partial<z.input<typeof Campaign>> = {}) =>
  kind(summary, Campaign, {
    id: sampleId(4),
    name: 'November',
    subject: 'What is new in November',
    recipients: 2_500,
    expanded: 2_500,
    blocked: 3,
    reason: null,
    sandbox: false,
    ...more,
  })

const Domain = z.strictObject({ id: Id, domain: z.string(), status: z.string() })

const domain = { id: sampleId(3), domain: 'example.com' }

const Judgement = z.strictObject({ reason: z.string().nullable() })

/** What mail tells of. */
export const email = {
  'email.accepted': message('accepted', 'A message was taken, and will be sent.'),
  'email.sent': message('sent', 'The recipient’s server has taken a message.'),
  'email.delivered': message('delivered', 'A message is in the recipient’s mailbox, as far as can be known.'),
  'email.deferred': message('deferred', 'The recipient’s server wants a message later; it is tried again.', {
    reply_class: 'greylisted',
    reason: '451 4.7.1 try again later',
  }),
  'email.bounced': message('bounced', 'The recipient’s server refuses a message for good.', {
    reply_class: 'no_mailbox',
    reason: '550 5.1.1 no such user',
  }),
  'email.failed': message('failed', 'A message could not be delivered in time, or at all.', { reason: 'expired' }),
  'email.suppressed': message('suppressed', 'A message was not sent, as its recipient is suppressed.'),
  'email.complained': message('complained', 'A recipient has called a message spam.'),
  'email.cancelled': message('cancelled', 'A message was cancelled before it left.'),
  'email.contact.confirmed': kind('A contact has confirmed that they want mail.', Contact, contact),
  'email.contact.unsubscribed': kind('A contact wants no more mail.', Contact, { ...contact, source: 'one_click' }),
  'email.campaign.sent': campaign('Every recipient of a campaign has a message that is with delivery.'),
  'email.campaign.finished': campaign('The last message of a campaign has come to an end.'),
  'email.campaign.paused': campaign('A campaign stopped before its end, or could not begin.', {
    expanded: 1_000,
    reason: 'The plan’s messages of this month are used up.',
  }),
  'email.campaign.cancelled': campaign('A campaign was cancelled: what had not left stays.', { expanded: 1_000 }),
  'email.domain.verified': kind('All required records of a domain are found.', Domain, {
    ...domain,
    status: 'verified',
  }),
  'email.domain.failed': kind(
    'Records of a verified domain are gone: nothing is sent from it.',
    Domain.extend({ amiss: z.array(z.string()).describe('The records that are clearly amiss') }),
    { ...domain, status: 'failed', amiss: ['dkim'] },
  ),
  'email.inbound_storage.warning': kind(
    'Received mail uses 80 or 100 percent of its share of your storage. At 100 percent, further mail is refused.',
    z.strictObject({
      used_bytes: z.int().describe('Received mail with its files'),
      limit_bytes: z.int().describe('The share of your storage that received mail may use'),
      percent: z.union([z.literal(80), z.literal(100)]).describe('The threshold that is reached'),
    }),
    { used_bytes: 214_748_365, limit_bytes: 268_435_456, percent: 80 },
  ),
  'email.marketing.paused': kind('Marketing mail is held, as too much of it bounced or was called spam.', Judgement, {
    reason: 'More than 5 % of today’s marketing mail bounced.',
  }),
  'email.marketing.resumed': kind('Marketing mail is sent again.', z.strictObject({}), {}),
  'email.received': received,
  'email.reputation.warning': kind('Mail is near the rates at which marketing is paused.', Judgement, {
    reason: 'More than 2 % of today’s marketing mail bounced.',
  }),
}
