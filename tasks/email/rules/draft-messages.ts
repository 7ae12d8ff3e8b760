import { getDomain, originalFormIfDifferent } from '#lib/email-address.ts'
import { newId } from '#lib/ids.ts'
import type * as suppressions from '#sql/email/contacts/suppressions.ts'
import type * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as messages from '#sql/email/messages.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import type { NewMail } from './record-messages.ts'

/** Columns, recipients and time of a message, as its request gives them. */
export interface Addressing {
  message: messages.GivenMessage
  content: contents.GivenContent
  from: { email: string; name?: string | undefined }
  to: string
  cc?: readonly string[] | undefined
  bcc?: readonly string[] | undefined
  /** Email addresses by their stored forms, with the local part in the caller’s case (RFC 5321 §2.4). */
  written?: ReadonlyMap<string, string> | undefined
  /** Default: immediately. */
  sendAt?: Date | undefined
  /** Kind of the recipient and recipients in the header of a message that repeats another one. */
  repeats?: Pick<messages.Message, 'recipient'> & Pick<contents.Content, 'recipients'>
}

export type Draft = NewMail

export interface DraftedMessage {
  drafts: readonly [Draft, ...Draft[]]
  content: contents.NewContent
  sendAt: Date | undefined
}

interface MessageParts extends Pick<contents.Content, 'html' | 'text'> {
  id: string
  domainId: string
  subject: string
  contactOf(email: string): Pick<contacts.Contact, 'id' | 'written'> | undefined
  heldBy(email: string): suppressions.Suppression | undefined
}

/** Returns all recipients of a message. The `to` recipient is first. */
export const listRecipients = ({ to, cc = [], bcc = [] }: Pick<Addressing, 'to' | 'cc' | 'bcc'>) => [
  { email: to, recipient: 'to' as const },
  ...cc.map((email) => ({ email, recipient: 'cc' as const })),
  ...bcc.map((email) => ({ email, recipient: 'bcc' as const })),
]

interface Recipient {
  email: string
  recipient: messages.RecipientKind
}

/**
 * Creates a message and one copy per additional recipient. They share one Message-ID and one content, but have separate
 * deliveries.
 */
export function createDrafts(
  wanted: Addressing,
  { id, domainId, subject, html, text, contactOf, heldBy }: MessageParts,
): DraftedMessage {
  const { from, to, cc = [] } = wanted
  const { org_id, sandbox } = wanted.message
  const contentId = newId()
  const givenAs = (email: string) => wanted.written?.get(email) ?? email
  // The API returns stored forms, so a stored form refers to the contact in any spelling.
  const writtenOf = (email: string) => originalFormIfDifferent(givenAs(email)) ?? contactOf(email)?.written ?? email
  const sendAt = wanted.sendAt && wanted.sendAt.getTime() > Date.now() ? wanted.sendAt : undefined
  const [, ...copies] = listRecipients(wanted)
  const content = {
    ...contents.fill(wanted.content),
    id: contentId,
    org_id,
    html,
    text,
    recipients: wanted.repeats?.recipients ?? (copies.length > 0 ? { to: writtenOf(to), cc: cc.map(writtenOf) } : null),
  }
  const shared = {
    ...messages.fill(wanted.message),
    domain_id: domainId,
    from_email: from.email,
    from_written: originalFormIfDifferent(givenAs(from.email)),
    from_name: from.name ?? null,
    subject,
    content_id: contentId,
    campaign_id: null,
    message_id: `${id}@${getDomain(from.email)}`,
    reason: null,
    send_at: sendAt?.toISOString() ?? null,
  }
  const draftOf = ({ email, recipient }: Recipient, place: Pick<messages.NewMessage, 'id' | 'copy_of'>): Draft => {
    const held = heldBy(email)
    const end = endOf(held, sandbox && !sendAt && !isSimulated(email))
    const status = sendAt && !end ? ('scheduled' as const) : ('queued' as const)
    const to = {
      to_email: email,
      to_written: originalFormIfDifferent(writtenOf(email)),
      contact_id: contactOf(email)?.id ?? null,
    }
    const row = { ...shared, ...place, ...to, recipient, status }
    return { row, end, reason: held && reasonOf(held) }
  }
  // The content counts once for the sandbox, with the first message.
  const bytes = sandbox ? Buffer.byteLength(JSON.stringify(content)) : 0
  const drafts: [Draft, ...Draft[]] = [
    { ...draftOf({ email: to, recipient: wanted.repeats?.recipient ?? 'to' }, { id, copy_of: null }), bytes },
    ...copies.map((copy) => draftOf(copy, { id: newId(), copy_of: id })),
  ]
  return { drafts, content, sendAt }
}

const endOf = (held: suppressions.Suppression | undefined, isRecordedAlone: boolean) =>
  held ? 'suppressed' : isRecordedAlone ? 'sent' : undefined

const reasonOf = ({ reason, detail }: suppressions.Suppression) =>
  `The address is on the suppression list: ${reason}${detail ? `, ${detail}` : ''}.`
