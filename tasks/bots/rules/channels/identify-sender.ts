import { getDomain, parseAddress } from '#lib/email-address.ts'
import type { MailThread } from '#sql/bots/channel-messages.ts'
import type { Received } from '#sql/email/received.ts'

/** Maximum number and length in characters of the Message-IDs in References. */
const most = { ids: 20, id: 250 }

/** Returns the stored form of the email’s author. `null` if replies cannot be sent to it. */
export function getAuthor({ from_email }: Pick<Received, 'from_email'>): string | null {
  const parsed = from_email === null ? '' : parseAddress(from_email)
  return typeof parsed === 'string' ? null : parsed.address
}

/**
 * True if the author’s domain confirms the email: by DMARC, or by SPF or DKIM of the same domain if it has no DMARC
 * record.
 */
export function isAuthenticated(author: string, authentication: Received['authentication']): boolean {
  if (!authentication) return false
  const { spf, dkim, dmarc } = authentication
  if (dmarc.result === 'pass') return true
  if (dmarc.result !== 'none') return false
  const domain = getDomain(author)
  return (
    (spf.result === 'pass' && spf.domain.toLowerCase() === domain) ||
    dkim.some(({ result, domain: signer }) => result === 'pass' && signer.toLowerCase() === domain)
  )
}

/** Returns what a reply needs of an email. */
export function getThread({ recipient, subject, message_id, headers }: Received): MailThread {
  const named = headers.find(({ name }) => name.toLowerCase() === 'references')?.value ?? ''
  return {
    recipient,
    subject: (subject ?? '').slice(0, 500),
    message_id: message_id !== null && isMessageId(message_id) ? message_id : null,
    references: named
      .split(/[\s<>]+/)
      .filter(isMessageId)
      .slice(-most.ids),
  }
}

/** Message-IDs in printable ASCII. They become part of a header. */
const isMessageId = (id: string): boolean => id.length <= most.id && /^[!-;=?A-~]+@[!-;=?A-~]+$/.test(id)
