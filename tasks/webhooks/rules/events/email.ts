import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { TopicState } from '#sql/email/contacts.ts'
import { MachineReason } from '#sql/email/engagements.ts'
import { Kind } from '#sql/email/imports.ts'
import { RecipientKind, Tag, table } from '#sql/email/messages.ts'
import {
  contactData,
  domainData,
  type EventContact,
  type EventMessage,
  engagementData,
  failedImportData,
  importData,
  messageData,
  toCampaignEventData,
  topicsData,
} from '../../../email/rules/event-data.ts'
import type { ClassName } from '../../../email/rules/replies/classes.ts'
import { createSampleId, kind } from './kind.ts'
import { received } from './received.ts'

const Message = z.strictObject({
  id: Id.describe('Message ID'),
  message_id: z.string().describe('Message-ID of the email'),
  stream: table.Row.shape.stream,
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  status: z.string(),
  campaign_id: Id.nullable(),
  reply_class: z.string().nullable().describe('Class of the receiving server’s response'),
  reason: z.string().nullable(),
  sandbox: z.boolean().describe('True for a test key: nothing was sent'),
  recipient: RecipientKind.describe('`to`, or the kind of copy'),
  copy_of: Id.nullable().describe('For a copy, the ID of the original message. Both have the same Message-ID.'),
  send_at: z.string().nullable().describe('Scheduled time. `null` if the message was not scheduled.'),
  tags: z.array(Tag).describe('Tags of the request'),
  metadata: z.record(z.string(), z.unknown()).nullable().describe('Metadata of the request'),
  topic: z.string().nullable().describe('Key of the topic. `null` without a topic.'),
})

const Import = z.strictObject({
  id: Id.describe('Import ID'),
  kind: Kind,
  rows: z.int(),
  imported: z.int(),
  existing: z.int(),
  invalid: z.int(),
  sandbox: z.boolean().describe('True for a test key'),
})

const sampleImport = {
  id: createSampleId(8),
  kind: 'suppressions' as const,
  rows: 1_000,
  imported: 980,
  existing: 15,
  invalid: 5,
  sandbox: false,
}

const sampleMessage: EventMessage = {
  id: createSampleId(1),
  org_id: createSampleId(5),
  key_id: createSampleId(6),
  sandbox: false,
  stream: 'transactional',
  domain_id: createSampleId(3),
  from_email: 'shop@example.com',
  from_name: 'Shop',
  to_email: 'ada@example.org',
  subject: 'Your order',
  content_id: createSampleId(7),
  campaign_id: null,
  contact_id: null,
  template_id: null,
  message_id: `${createSampleId(1)}@example.com`,
  reason: null,
  tags: [{ name: 'category', value: 'order' }],
  metadata: { order: 1042 },
}

type SampleOutcome = { reply_class: ClassName | null; reason: string }

const message = (status: Parameters<typeof messageData>[1], summary: string, outcome?: SampleOutcome) =>
  kind(summary, Message, messageData({ ...sampleMessage, ...outcome }, status))

const Engagement = Message.extend({
  machine: z.boolean().describe('True for an image proxy, a security scanner or other software, not a reader'),
  machine_reason: MachineReason.nullable().describe('Why the request counts as a machine'),
  user_agent: z.string().nullable(),
  at: z.string().describe('Time of the first request'),
})

const { url: sampleUrl, ...sampleOpen } = engagementData(
  { ...(sampleMessage as Parameters<typeof engagementData>[0]), status: 'delivered' },
  {
    url: 'https://shop.example.com/orders/1042',
    machine: false,
    reason: null,
    first_at: new Date('2026-01-01T12:00:00.000Z'),
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0',
  },
)

const Contact = z.strictObject({
  id: Id.describe('Contact ID'),
  email: z.string(),
  source: z
    .enum(['api', 'page', 'one_click', 'mail', 'complaint', 'form', 'operator'])
    .describe('Source of the change'),
  message_id: Id.nullable().describe('Message whose link, header or mailbox was used'),
  sandbox: z.literal(true).optional().describe('True for a contact of test keys'),
})

const contact = (source: EventContact['source']) =>
  contactData({ id: createSampleId(2), email: 'ada@example.org', source, messageId: createSampleId(1), sandbox: false })

const Campaign = z.strictObject({
  id: Id.describe('Campaign ID'),
  name: z.string(),
  subject: z.string(),
  recipients: z.int().describe('Number of confirmed contacts when the campaign started'),
  expanded: z.int().describe('Number of contacts processed'),
  blocked: z.int().describe('Number of contacts that receive nothing'),
  reason: z.string().nullable().describe('Reason for the pause'),
  sandbox: z.boolean().describe('True for a test key: nothing was sent'),
})

const sampleCampaign = {
  id: createSampleId(4),
  name: 'November',
  subject: 'What is new in November',
  recipients: 2_500,
  expanded: 2_500,
  blocked: { unsubscribed: 2, bounce: 1 },
  reason: null,
  sandbox: false,
}

const campaign = (summary: string, more: Partial<Parameters<typeof toCampaignEventData>[0]> = {}) =>
  kind(summary, Campaign, toCampaignEventData({ ...sampleCampaign, ...more }))

const Domain = z.strictObject({ id: Id, domain: z.string(), status: z.string() })

const domain = (status: 'verified' | 'failed') => domainData({ id: createSampleId(3), domain: 'example.com' }, status)

const Judgement = z.strictObject({ reason: z.string().nullable() })

export const email = {
  'email.accepted': message('accepted', 'A message was accepted and will be sent.'),
  'email.sent': message('sent', 'The receiving server has accepted a message.'),
  'email.delivered': message('delivered', 'The recipient’s own server has accepted a message.'),
  'email.deferred': message('deferred', 'The receiving server has deferred a message. Millrace will retry.', {
    reply_class: 'greylisted',
    reason: '451 4.7.1 Greylisted, try again later',
  }),
  'email.bounced': message('bounced', 'The receiving server has permanently rejected a message.', {
    reply_class: 'invalid_recipient',
    reason: '550 5.1.1 No such user here',
  }),
  'email.failed': message('failed', 'A message could not be delivered.', {
    reply_class: 'expired',
    reason: '4.4.7 The message could not be delivered in time. The last reply: 451 4.3.0 Try again later',
  }),
  'email.suppressed': message('suppressed', 'A message was not sent because its recipient is suppressed.', {
    reply_class: null,
    reason: 'The address is suppressed (bounce).',
  }),
  'email.complained': message('complained', 'A recipient has reported a message as spam.', {
    reply_class: null,
    reason: "The recipient's mailbox provider reported abuse.",
  }),
  'email.cancelled': message('cancelled', 'A message was cancelled before it was sent.', {
    reply_class: null,
    reason: 'The message was cancelled.',
  }),
  'email.opened': kind('A message was opened for the first time, by a reader or by a machine.', Engagement, sampleOpen),
  'email.clicked': kind(
    'A link of a message was opened for the first time, by a reader or by a machine.',
    Engagement.extend({ url: z.string().describe('Target of the link') }),
    { ...sampleOpen, url: sampleUrl },
  ),
  'email.contact.confirmed': kind('A contact has confirmed the subscription.', Contact, contact('page')),
  'email.contact.topics_changed': kind(
    'A contact has changed the choice of topics.',
    Contact.extend({ topics: z.record(z.string(), TopicState).describe('Changed choices by key of the topic') }),
    topicsData(
      {
        id: createSampleId(2),
        email: 'ada@example.org',
        source: 'page',
        messageId: createSampleId(1),
        sandbox: false,
      },
      { offers: 'unsubscribed' },
    ),
  ),
  'email.contact.unsubscribed': kind('A contact has unsubscribed.', Contact, contact('one_click')),
  'email.campaign.sent': campaign('All messages of a campaign have been passed on for delivery.'),
  'email.campaign.finished': campaign('The last message of a campaign has reached a final status.'),
  'email.campaign.paused': campaign('A campaign was paused, or could not start.', {
    expanded: 1_000,
    reason: 'The plan’s messages for this month are used up.',
  }),
  'email.campaign.cancelled': campaign('A campaign was cancelled. Its unsent messages will not be sent.', {
    expanded: 1_000,
  }),
  'email.domain.verified': kind('All required records of a domain were found.', Domain, domain('verified')),
  'email.domain.failed': kind(
    'Required records of a verified domain are missing. Millrace sends no email from the domain.',
    Domain.extend({ amiss: z.array(z.string()).describe('DNS records that are wrong') }),
    { ...domain('failed'), amiss: ['return_path_mx'] },
  ),
  'email.import.finished': kind(
    'All rows of an import of suppressions or consents have been read.',
    Import,
    importData(sampleImport),
  ),
  'email.import.failed': kind(
    'An import of suppressions or consents has stopped. The rows that were read before stay imported.',
    Import.extend({ reason: z.string().nullable() }),
    failedImportData({ ...sampleImport, imported: 500, reason: 'The import stopped: Error. Import the list again.' }),
  ),
  'email.domain.dmarc_failing': kind(
    'A DMARC report shows that messages of a known source fail. Sent at most once a day per domain.',
    z.strictObject({
      id: Id,
      domain: z.string(),
      report_id: Id.describe('Report of `GET /send/v1/domains/{domain}/dmarc/reports`'),
      reporter: z.string().describe('Name in the report. Anyone can send a report.'),
      sources: z
        .array(z.strictObject({ source_ip: z.string(), messages: z.int(), unaligned: z.int() }))
        .describe('Sources whose messages passed neither SPF nor DKIM for the domain, up to 20'),
    }),
    {
      id: createSampleId(3),
      domain: 'example.com',
      report_id: createSampleId(8),
      reporter: 'google.com',
      sources: [{ source_ip: '192.0.2.10', messages: 420, unaligned: 118 }],
    },
  ),
  'email.inbound_storage.warning': kind(
    'Received email uses 80 or 100 percent of its share of your storage. At 100 percent, further email is rejected.',
    z.strictObject({
      used_bytes: z.int().describe('Size of received email in bytes, including files'),
      limit_bytes: z.int().describe('Maximum size of received email in bytes'),
      percent: z.union([z.literal(80), z.literal(100)]).describe('Threshold in percent that was reached'),
    }),
    { used_bytes: 214_748_365, limit_bytes: 268_435_456, percent: 80 },
  ),
  'email.marketing.paused': kind(
    'Marketing was paused because too many messages bounced or were reported as spam.',
    Judgement,
    {
      reason: 'The bounce rate of 7 days is 15.25 %, above 15 %.',
    },
  ),
  'email.marketing.resumed': kind('Marketing was resumed.', z.strictObject({}), {}),
  'email.received': received,
  'email.reputation.warning': kind('The rates are close to the thresholds at which marketing is paused.', Judgement, {
    reason: 'The bounce rate of 7 days is 6.1 %, above 5 %.',
  }),
}
