import { toStorableText } from '#lib/outside-text.ts'

export interface ReturnedText {
  from: string
  subject: string
  /** Exim lists failed recipients in this field. */
  failedRecipients: boolean
  /** `Auto-Submitted` of a person's email client, such as a vacation notice (RFC 3834 §5). */
  isAnswer: boolean
  text: string
}

export interface BounceText {
  action: 'failed' | 'delayed' | 'delivered'
  status: string | null
  diagnostic: string | null
}

/** Maximum number of characters that are checked. The text of a bounce precedes the returned message. */
const most = 8_000

const daemon = /\b(?:mailer-?daemon|mail delivery (?:sub)?system|postmaster|mdaemon|double-?bounce|mailer)\b/i
const failed =
  /undeliver(?:able|ed)|un?zustellbar|non ?remis|non recapitat|no entregado|delivery (?:has )?(?:failed|failure|status notification \(failure\))|failure (?:notice|delivery)|(?:mail|message) delivery failed|returned mail|could ?n[o']t (?:be )?deliver|(?:unable|not able|wasn't able) to deliver|permanent (?:fatal )?error|delivery to the following recipients? failed|message not delivered|rejected your message/i
const delayed =
  /\bdelayed\b|delay(?:ed)? (?:notification|warning)|will (?:keep|continue) (?:trying|to try)|(?:is|are|being|be) retried|no action is required|warning: (?:message|could not send)|still (?:trying|being tried)/i
const delivered =
  /successfully (?:delivered|relayed)|\((?:success|relay)\)|delivered successfully|has been (?:successfully )?delivered/i

/** Matches the start of the returned message (QSBMF: https://cr.yp.to/proto/qsbmf.txt, and other formats). */
const returned =
  /^(?:--- |-{3,} ?(?:below this line|this is a copy|original message|the (?:header|body) of|returned message)|={3,} )/im

/**
 * Parses a bounce in plain text: QSBMF of qmail, Yahoo and others, and Exim. Returns null for other email, such as a
 * vacation notice. The envelope sender, which is secret, identifies the message.
 */
export function readBounceText(mail: ReturnedText): BounceText | null {
  const text = beforeReturned(mail.text.slice(0, most))
  if (!isBounce(mail, text)) return null
  // A delay notice is recognised by its first words only, because the reason for a failure can mention an earlier
  // delay.
  const opening = `${mail.subject}\n${text.slice(0, 600)}`
  if (!mail.failedRecipients && !isQsbmf(text) && delayed.test(opening) && !failed.test(mail.subject))
    return { action: 'delayed', status: null, diagnostic: null }
  if (!mail.failedRecipients && !failed.test(opening) && delivered.test(opening))
    return { action: 'delivered', status: null, diagnostic: null }
  return { action: 'failed', status: statusIn(text), diagnostic: diagnosticIn(text) }
}

/** True for QSBMF, which starts with this paragraph. All its paragraphs about recipients are failures. */
const isQsbmf = (text: string): boolean => /^\s*Hi\. This is the /.test(text)

function isBounce({ from, subject, failedRecipients, isAnswer }: ReturnedText, text: string): boolean {
  if (failedRecipients || isQsbmf(text)) return true
  if (daemon.test(from)) return true
  return !isAnswer && (failed.test(subject) || failed.test(text.slice(0, 600)) || coded.test(text))
}

function beforeReturned(text: string): string {
  const lines = text.replaceAll('\r', '')
  const at = lines.search(returned)
  return at < 0 ? lines : lines.slice(0, at)
}

const refusal = /(?:^|[\s:(])([45]\d\d[ -](?:#?[45]\.\d{1,3}\.\d{1,3}\b)?[^\n]{3,400})/

const coded = /\b5\d\d[ -]#?5\.\d{1,3}\.\d{1,3}\b/

/** Returns the RFC 3463 code, written as `5.1.1`, `#5.1.1` or `(#5.1.1)`. */
const statusIn = (text: string): string | null =>
  /(?:^|[\s#(:-])([45]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(text)?.[1] ?? null

/** Returns the reply of the server, or the paragraph about the recipient. */
function diagnosticIn(text: string): string | null {
  const said = refusal.exec(text)?.[1] ?? aboutRecipient(text)
  return said ? toStorableText(said.replaceAll(/\s+/g, ' ').trim(), 500) || null : null
}

/** Returns the lines below `<ann@example.com>:` or `ann@example.com`, up to the next blank line. */
function aboutRecipient(text: string): string | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^\s*<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?:?\s*$/.test(line))
  if (at < 0) return undefined
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line, i) => i > 0 && line.trim() === '')
  return rest.slice(0, end < 0 ? 6 : Math.min(end, 6)).join(' ')
}
