import { foldLines } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import type { HeaderFacts, LetterRequest } from '#tasks/email/engine.ts'
import type { Field } from './dkim.ts'
import { encodedWords, looksEncoded } from './encoded-words.ts'

/** Header fields that Millrace sets. Headers of a sender cannot set them. */
const ours =
  /^(?:from|to|cc|bcc|sender|date|subject|message-id|reply-to|mime-version|return-path|received|authentication-results|feedback-id|(?:content|dkim|arc|list|resent)-.*)$/i
const fieldName = /^[A-Za-z0-9-]{1,76}$/

/**
 * Returns the header fields except those of the body. Addresses are objects, because nodemailer would parse a string as
 * a list. In a list, a comma or a line end adds recipients.
 */
export function headerFields(
  message: LetterRequest['message'],
  content: LetterRequest['content'],
  { feedbackId, unsubscribe }: HeaderFacts,
): Field[] {
  const node = new MimeNode('text/plain', { newline: 'windows' })
  const set = (name: string, value: Parameters<MimeNode['setHeader']>[1]) => node.setHeader(name, value)
  const name = oneLine(message.from_name ?? '')
  const address = message.from_written ?? message.from_email
  set('From', { name, address })
  const { to, cc } = content.recipients ?? { to: message.to_written ?? message.to_email, cc: [] }
  set('To', { name: '', address: to })
  // Recipients in `bcc` appear only in the envelope, not in a header (RFC 5322 §3.6.3).
  if (cc.length > 0)
    set(
      'Cc',
      cc.map((address) => ({ name: '', address })),
    )
  set('Subject', unstructured(message.subject))
  set('Date', message.send_at ?? message.created_at)
  set('Message-ID', `<${message.message_id}>`)
  if (content.reply_to !== null) set('Reply-To', { name: '', address: content.reply_to })
  for (const [name, value] of Object.entries(content.headers)) {
    if (fieldName.test(name) && !ours.test(name)) set(name, unstructured(value))
  }
  if (unsubscribe) {
    set('List-Unsubscribe', {
      prepared: true,
      value: `<${unsubscribe.url}>,\r\n <mailto:${unsubscribe.address}?subject=unsubscribe>`,
    })
    set('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click')
  }
  set('Feedback-ID', { prepared: true, value: feedbackId })
  const fields = read(node.buildHeaders())
  if (!looksEncoded(name)) return fields
  // nodemailer would quote the encoded name, but clients decode it anyway.
  const from = foldLines(`From: ${encodedWords(name)} <${address}>`, 76)
  return fields.map((field) => (field[0] === 'From' ? ([field[0], from.slice('From: '.length)] as const) : field))
}

/** Encodes text that looks like encoded words, so that clients show it unchanged. */
function unstructured(text: string): Parameters<MimeNode['setHeader']>[1] {
  const line = oneLine(text)
  return looksEncoded(line) ? { prepared: true, foldLines: true, value: encodedWords(line) } : line
}

/** Replaces all control characters except the tab: line ends, and characters that some servers treat as line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')

const ofBody = /^(?:mime-version|content-.*)$/i

function read(header: string): Field[] {
  return readFields(header).filter(([name]) => !ofBody.test(name))
}

/** Returns the header fields and unfolds continuation lines (RFC 5322 §2.2.3). */
export function readFields(header: string): Field[] {
  return header.split(/\r\n(?![ \t])/).flatMap((line) => {
    const colon = line.indexOf(':')
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')] as const] : []
  })
}
