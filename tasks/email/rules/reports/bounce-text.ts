import { outsideText } from '#lib/outside-text.ts'

/** A mail that came back, as far as it says in words what became of a message. */
export interface ReturnedText {
  /** Address and name in From. */
  from: string
  subject: string
  /** Exim lists in this field the recipients that failed. */
  failedRecipients: boolean
  /** `Auto-Submitted` of a person's own program, such as a vacation notice (RFC 3834 §5). */
  isAnswer: boolean
  text: string
}

/** What a bounce in words says. */
export interface BounceText {
  action: 'failed' | 'delayed' | 'delivered'
  status: string | null
  diagnostic: string | null
}

/** Characters that are looked at: a bounce stands before the message that it returns. */
const most = 8_000

/** Programs that report on deliveries, by whom their mail is from. */
const daemon = /\b(?:mailer-?daemon|mail delivery (?:sub)?system|postmaster|mdaemon|double-?bounce|mailer)\b/i
const failed =
  /undeliver(?:able|ed)|un?zustellbar|non ?remis|non recapitat|no entregado|delivery (?:has )?(?:failed|failure|status notification \(failure\))|failure (?:notice|delivery)|(?:mail|message) delivery failed|returned mail|could ?n[o']t (?:be )?deliver|(?:unable|not able|wasn't able) to deliver|permanent (?:fatal )?error|delivery to the following recipients? failed|message not delivered|rejected your message/i
const delayed =
  /\bdelayed\b|delay(?:ed)? (?:notification|warning)|will (?:keep|continue) (?:trying|to try)|(?:is|are|being|be) retried|no action is required|warning: (?:message|could not send)|still (?:trying|being tried)/i
const delivered =
  /successfully (?:delivered|relayed)|\((?:success|relay)\)|delivered successfully|has been (?:successfully )?delivered/i

/** Where the message that is returned begins (QSBMF: https://cr.yp.to/proto/qsbmf.txt, and what other programs write). */
const returned =
  /^(?:--- |-{3,} ?(?:below this line|this is a copy|original message|the (?:header|body) of|returned message)|={3,} )/im

/**
 * Reads a bounce in words: QSBMF of qmail, text of Yahoo and others, Exim. Null for any other mail, such as a vacation notice. The envelope
 * sender, a secret of the message, proves what it is about.
 */
export function readBounceText(mail: ReturnedText): BounceText | null {
  const text = beforeReturned(mail.text.slice(0, most))
  if (!isBounce(mail, text)) return null
  // A delay is a matter of the first words: the reason for a failure may speak of an earlier one.
  const opening = `${mail.subject}\n${text.slice(0, 600)}`
  if (!mail.failedRecipients && !isQsbmf(text) && delayed.test(opening) && !failed.test(mail.subject))
    return { action: 'delayed', status: null, diagnostic: null }
  if (!mail.failedRecipients && !failed.test(opening) && delivered.test(opening))
    return { action: 'delivered', status: null, diagnostic: null }
  return { action: 'failed', status: statusIn(text), diagnostic: diagnosticIn(text) }
}

/** QSBMF: a first paragraph that begins so. All of its paragraphs about recipients are failures. */
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

/** A refusal as servers write it: `550 5.1.1 …`, `554 …` at the beginning of what they said. */
const refusal = /(?:^|[\s:(])([45]\d\d[ -](?:#?[45]\.\d{1,3}\.\d{1,3}\b)?[^\n]{3,400})/

/** A refusal with both codes, which no person writes. */
const coded = /\b5\d\d[ -]#?5\.\d{1,3}\.\d{1,3}\b/

/** RFC 3463, as `5.1.1`, `#5.1.1` or `(#5.1.1)`. */
const statusIn = (text: string): string | null =>
  /(?:^|[\s#(:-])([45]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(text)?.[1] ?? null

/** What the server said: its reply, or else the paragraph about the recipient. */
function diagnosticIn(text: string): string | null {
  const said = refusal.exec(text)?.[1] ?? aboutRecipient(text)
  return said ? outsideText(said.replaceAll(/\s+/g, ' ').trim(), 500) || null : null
}

/** The lines under `<ann@example.com>:` or `ann@example.com`, to the next blank line. */
function aboutRecipient(text: string): string | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^\s*<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?:?\s*$/.test(line))
  if (at < 0) return undefined
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line, i) => i > 0 && line.trim() === '')
  return rest.slice(0, end < 0 ? 6 : Math.min(end, 6)).join(' ')
}
