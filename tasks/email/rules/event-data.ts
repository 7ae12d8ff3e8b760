import type { Campaign } from '#sql/email/campaigns.ts'
import type { TopicChoices } from '#sql/email/contacts/topic-choices.ts'
import type { Outcome } from '#sql/email/delivery/outcomes.ts'
import type { EmailDomain } from '#sql/email/domains.ts'
import type { Engagement } from '#sql/email/engagements.ts'
import type { Import } from '#sql/email/imports.ts'
import type { Message, NewMessage } from '#sql/email/messages.ts'

/** Samples use the same functions (webhooks/rules/events/email.ts), so they have the same structure. */

export type EventMessage = Omit<NewMessage, 'status' | 'send_at'> & {
  reply_class?: string | null
  send_at?: string | Date | null
}

export const messageData = (message: EventMessage, status: 'accepted' | Outcome['status']) => ({
  id: message.id,
  message_id: message.message_id,
  stream: message.stream,
  from: message.from_email,
  to: message.to_email,
  subject: message.subject,
  status,
  campaign_id: message.campaign_id,
  reply_class: message.reply_class ?? null,
  reason: message.reason,
  sandbox: message.sandbox,
  recipient: message.recipient ?? ('to' as const),
  copy_of: message.copy_of ?? null,
  send_at: message.send_at ? new Date(message.send_at).toISOString() : null,
  tags: message.tags ?? [],
  metadata: message.metadata ?? null,
  topic: message.topic ?? null,
})

export const engagementData = (
  message: Message,
  {
    url,
    machine,
    reason,
    first_at,
    user_agent,
  }: Omit<Engagement, 'message_id' | 'org_id' | 'kind' | 'count' | 'last_at'>,
) => ({
  ...messageData(message, 'accepted'),
  status: message.status,
  machine,
  machine_reason: reason,
  user_agent,
  at: first_at.toISOString(),
  url,
})

export interface EventContact {
  id: string
  email: string
  source: 'api' | 'page' | 'one_click' | 'mail' | 'complaint' | 'form' | 'operator'
  messageId: string | null
  sandbox: boolean
}

export const contactData = ({ id, email, source, messageId, sandbox }: EventContact) => ({
  id,
  email,
  source,
  message_id: messageId,
  ...(sandbox && { sandbox: true as const }),
})

/** `topics` contains the changed choices by key. */
export const topicsData = (contact: EventContact, topics: TopicChoices) => ({ ...contactData(contact), topics })

export const importData = ({
  id,
  kind,
  rows,
  imported,
  existing,
  invalid,
  sandbox,
}: Pick<Import, 'id' | 'kind' | 'rows' | 'imported' | 'existing' | 'invalid' | 'sandbox'>) => ({
  id,
  kind,
  rows,
  imported,
  existing,
  invalid,
  sandbox,
})

export const failedImportData = (one: Parameters<typeof importData>[0] & Pick<Import, 'reason'>) => ({
  ...importData(one),
  reason: one.reason,
})

export const toCampaignEventData = ({
  id,
  name,
  subject,
  recipients,
  expanded,
  blocked,
  reason,
  sandbox,
}: Pick<Campaign, 'id' | 'name' | 'subject' | 'recipients' | 'expanded' | 'blocked' | 'reason' | 'sandbox'>) => ({
  id,
  name,
  subject,
  recipients,
  expanded,
  blocked: Object.values(blocked).reduce((sum, count) => sum + count, 0),
  reason,
  sandbox,
})

export const domainData = ({ id, domain }: Pick<EmailDomain, 'id' | 'domain'>, status: EmailDomain['status']) => ({
  id,
  domain,
  status,
})
