import type { Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import type { Content } from '#sql/email/contents.ts'
import * as merges from '#sql/email/delivery/merges.ts'
import type { Message } from '#sql/email/messages.ts'
import type { MessageRequest } from './accept-messages.ts'
import { renderPersonal, toReason } from './campaigns/liquid-campaign.ts'
import { fillPart, unsubscribeField } from './campaigns/merge-fields.ts'
import type { Parts } from './message-parts.ts'

/** The new message: its key, and whether it is a test message. */
export type Repetition = Pick<Message, 'key_id' | 'sandbox'> &
  Pick<MessageRequest, 'fromDomains'> & {
    unsubscribeUrl(messageId: string): string
  }

/**
 * Returns a request for a message with the content and the recipient of an earlier one. Accepting it checks the domain,
 * consent, suppressions and limits again.
 */
export async function repeatMessage(
  db: Db,
  message: Message,
  content: Content,
  { key_id, sandbox, fromDomains, unsubscribeUrl }: Repetition,
): Promise<MessageRequest> {
  const { org_id, stream, template_id, tags, metadata, recipient, topic, track_opens, track_clicks } = message
  const options = { tags, metadata, topic, track_opens, track_clicks }
  const { reply_to, headers, attachments, recipients } = content
  return {
    message: { org_id, key_id, sandbox, stream, template_id, ...options, resent_from: message.id },
    content: { reply_to, headers, attachments },
    fromDomains,
    from: { email: message.from_email, ...(message.from_name !== null && { name: message.from_name }) },
    to: message.to_email,
    written: new Map([
      [message.from_email, message.from_written ?? message.from_email],
      [message.to_email, message.to_written ?? message.to_email],
    ]),
    repeats: { recipient, recipients },
    ...(await render(db, message, content, unsubscribeUrl)),
  }
}

/** Content of a Liquid campaign is rendered for the ID of the new message, which its unsubscribe URL contains. */
async function render(
  db: Db,
  message: Message,
  content: Content,
  unsubscribeUrl: (messageId: string) => string,
): Promise<Pick<MessageRequest, 'id' | 'resent'>> {
  if (content.partials === null) return { resent: await renderer(db, message, content, unsubscribeUrl) }
  const [merge] = await merges.findMany(db, [message.id])
  if (!merge) return { resent: () => ({ faults: [cannotRender('the values of the contact were deleted')] }) }
  const id = newId()
  const made = await renderPersonal(message.org_id, content, merge.fields, unsubscribeUrl(id))
  if ('faults' in made) return { resent: () => ({ faults: [cannotRender(toReason(made.faults))] }) }
  const { html, text } = made
  return { id, resent: () => ({ subject: message.subject, html, text }) }
}

const cannotRender = (reason: string): Fault => ({ field: 'params.id', issue: `cannot be rendered again: ${reason}` })

/** Placeholders of a campaign are filled in again, because the unsubscribe URL belongs to one message. */
async function renderer(
  db: Db,
  { id, subject, campaign_id }: Message,
  { html, text }: Content,
  unsubscribeUrl: (messageId: string) => string,
): Promise<(messageId: string) => Parts> {
  const [merge] = campaign_id !== null && listPlaceholders(html, text).length > 0 ? await merges.findMany(db, [id]) : []
  if (!merge) return () => ({ subject, html, text })
  return (newId) => {
    const fields = { ...merge.fields, [unsubscribeField]: unsubscribeUrl(newId) }
    const filled = (part: 'html' | 'text', given: string | null) =>
      given === null ? null : (fillPart(part, given, fields) ?? null)
    return { subject, html: filled('html', html), text: filled('text', text) }
  }
}
