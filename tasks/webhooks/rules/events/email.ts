import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { RecipientKind, Tag, table } from '#sql/email/messages.ts'
import type { ClassName } from '../../../email/rules/classes.ts'
import {
  campaignData,
  contactData,
  domainData,
  type EventContact,
  type EventMessage,
  messageData,
} from '../../../email/rules/event-data.ts'
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

const sampleMessage: EventMessage = {
  id: sampleId(1),
  org_id: sampleId(5),
  key_id: sampleId(6),
  sandbox: false,
  stream: 'transactional',
  domain_id: sampleId(3),
  from_email: 'shop@example.com',
  from_name: 'Shop',
  to_email: 'ada@example.org',
  subject: 'Your order',
  content_id: sampleId(7),
  campaign_id: null,
  contact_id: null,
  template_id: null,
  message_id: `${sampleId(1)}@example.com`,
  reason: null,
  tags: [{ name: 'category', value: 'order' }],
  metadata: { order: 1042 },
}

/** What became of a message, as the rules of delivery record it. */
type SampleOutcome = { reply_class: ClassName | null; reason: string }

const message = (status: Parameters<typeof messageData>[1], summary: string, outcome?: SampleOutcome) =>
  kind(summary, Message, messageData({ ...sampleMessage, ...outcome }, status))

const Contact = z.strictObject({
  id: Id.describe('The contact'),
  email: z.string(),
  source: z.enum(['api', 'page', 'one_click', 'mail', 'complaint']).describe('How it is known'),
  message_id: Id.nullable().describe('The message whose link, header or mailbox was used'),
  sandbox: z.literal(true).optional().describe('Of a contact whom only sandbox keys know'),
})

const contact = (source: EventContact['source']) =>
  contactData({ id: sampleId(2), email: 'ada@example.org', source, messageId: sampleId(1), sandbox: false })

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

const sampleCampaign = {
  id: sampleId(4),
  name: 'November',
  subject: 'What is new in November',
  recipients: 2_500,
  expanded: 2_500,
  blocked: { unsubscribed: 2, bounce: 1 },
  reason: null,
  sandbox: false,
}

const campaign = (summary: string, more: Partial<Parameters<typeof campaignData>[0]> = {}) =>
  kind(summary, Campaign, campaignData({ ...sampleCampaign, ...more }))

const Domain = z.strictObject({ id: Id, domain: z.string(), status: z.string() })

const domain = (status: 'verified' | 'failed') => domainData({ id: sampleId(3), domain: 'example.com' }, status)

const Judgement = z.strictObject({ reason: z.string().nullable() })

/** What mail tells of. */
export const email = {
  'email.accepted': message('accepted', 'A message was taken, and will be sent.'),
  'email.sent': message('sent', 'The recipient’s server has taken a message.'),
  'email.delivered': message('delivered', 'A message is in the recipient’s mailbox, as far as can be known.'),
  'email.deferred': message('deferred', 'The recipient’s server wants a message later; it is tried again.', {
    reply_class: 'greylisted',
    reason: '451 4.7.1 Greylisted, try again later',
  }),
  'email.bounced': message('bounced', 'The recipient’s server refuses a message for good.', {
    reply_class: 'invalid_recipient',
    reason: '550 5.1.1 No such user here',
  }),
  'email.failed': message('failed', 'A message could not be delivered in time, or at all.', {
    reply_class: 'expired',
    reason: '4.4.7 It could not be delivered in time. The last reply: 451 4.3.0 Try again later',
  }),
  'email.suppressed': message('suppressed', 'A message was not sent, as its recipient is suppressed.', {
    reply_class: null,
    reason: 'The address is suppressed (bounce).',
  }),
  'email.complained': message('complained', 'A recipient has called a message spam.', {
    reply_class: null,
    reason: "The recipient's mailbox provider reported abuse.",
  }),
  'email.cancelled': message('cancelled', 'A message was cancelled before it left.', {
    reply_class: null,
    reason: 'It was cancelled.',
  }),
  'email.contact.confirmed': kind('A contact has confirmed that they want mail.', Contact, contact('page')),
  'email.contact.unsubscribed': kind('A contact wants no more mail.', Contact, contact('one_click')),
  'email.campaign.sent': campaign('Every recipient of a campaign has a message that is with delivery.'),
  'email.campaign.finished': campaign('The last message of a campaign has come to an end.'),
  'email.campaign.paused': campaign('A campaign stopped before its end, or could not begin.', {
    expanded: 1_000,
    reason: 'The plan’s messages of this month are used up.',
  }),
  'email.campaign.cancelled': campaign('A campaign was cancelled: what had not left stays.', { expanded: 1_000 }),
  'email.domain.verified': kind('All required records of a domain are found.', Domain, domain('verified')),
  'email.domain.failed': kind(
    'Records of a verified domain are gone: nothing is sent from it.',
    Domain.extend({ amiss: z.array(z.string()).describe('The records that are clearly amiss') }),
    { ...domain('failed'), amiss: ['return_path_mx'] },
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
    reason: 'The bounce rate of 7 days is 15.25 %, above 15 %.',
  }),
  'email.marketing.resumed': kind('Marketing mail is sent again.', z.strictObject({}), {}),
  'email.received': received,
  'email.reputation.warning': kind('Mail is near the rates at which marketing is paused.', Judgement, {
    reason: 'The bounce rate of 7 days is 6.1 %, above 5 %.',
  }),
}
