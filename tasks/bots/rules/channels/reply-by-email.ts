import type { MailThread } from '#sql/bots/channel-messages.ts'
import type { AddressedChannel } from '#sql/bots/channels.ts'
import type { Db } from '#sql/db.ts'
import { acceptMessages } from '../../../email/rules/accept-messages.ts'
import type { ChannelReply, ReplyOutcome } from './reply-outcome.ts'

/** Maximum length of the References header (RFC 5322 §2.1.1). */
const mostReferences = 900

/** Sends a reply in the thread of an email, with the headers of RFC 5322 §3.6.4 and, for the bot, RFC 3834 §5. */
export async function replyByEmail(
  tx: Db,
  { org_id, from_email, can_send }: AddressedChannel,
  to: string,
  thread: MailThread,
  reply: ChannelReply & { from: string; conversationId: string },
): Promise<ReplyOutcome> {
  if (from_email === null && !can_send) return { refused: 'domain_not_verified' }
  const sender = from_email ?? thread.recipient.toLowerCase()
  const [result] = await acceptMessages(tx, [
    {
      message: {
        ...{ org_id, key_id: null, sandbox: false, stream: 'transactional' },
        metadata: { bot_message_id: reply.id, bot_conversation_id: reply.conversationId },
      },
      content: {
        headers: headersOf(thread, reply.author === null),
        ...(sender !== thread.recipient.toLowerCase() && { reply_to: thread.recipient }),
      },
      fromDomains: undefined,
      from: { email: sender, name: reply.from },
      to,
      subject: subjectOf(thread.subject),
      text: `${reply.content}\n`,
      html: htmlOf(reply.content),
    },
  ])
  if (!result || 'faults' in result) return { refused: 'bad_request' }
  if ('refusal' in result) return { refused: result.refusal.why }
  if ('overCap' in result) return { refused: 'monthly_limit_reached' }
  if ('sandboxFull' in result) return { refused: 'sandbox_limit' }
  return { sentId: result.message.id }
}

function headersOf({ message_id, references }: MailThread, isAutomatic: boolean): Record<string, string> {
  const automatic = isAutomatic ? { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' } : {}
  if (message_id === null) return automatic
  const named = [...references.filter((id) => id !== message_id), message_id].map((id) => `<${id}>`)
  while (named.length > 1 && named.join(' ').length > mostReferences) named.shift()
  return { ...automatic, 'In-Reply-To': `<${message_id}>`, References: named.join(' ') }
}

/** A subject is one line, so line breaks and other control characters become spaces. */
function subjectOf(subject: string): string {
  const line = Array.from(subject, (character) => (character < ' ' ? ' ' : character))
    .join('')
    .trim()
  return /^re:/i.test(line) ? line.slice(0, 250) : `Re: ${line.slice(0, 246)}`.trim()
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const htmlOf = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>\n')}</p>`)
    .join('\n')
