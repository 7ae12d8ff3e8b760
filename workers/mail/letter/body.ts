import { createHash } from 'node:crypto'
import { convert } from 'html-to-text'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { Attachment, Content } from '#sql/email/contents.ts'
import { relaxedBody } from './canonical.ts'

/** What follows the header of a message, with the fields that describe it. */
export interface Body {
  /** `MIME-Version` and `Content-…`, each with its CRLF. */
  fields: string
  bytes: Buffer
  /** It has octets above 127 (RFC 6152): a message that is attached to it. */
  is8Bit: boolean
  /** Of its relaxed form (RFC 6376 §3.4.4): bh= of its signatures. */
  hash: string
}

/** Fields of ours in what nodemailer builds; it sets Message-ID and Date by itself, which are the message's own. */
const describing = /^(?:mime-version|content-[a-z-]+)$/i

/**
 * Builds the body of messages: text and HTML as alternatives, attachments behind. Line ends are CRLF throughout: what is
 * signed must be what is sent.
 */
export async function buildBody(content: Pick<Content, 'html' | 'text' | 'attachments'>): Promise<Body> {
  const { html, attachments } = content
  const text = content.text ?? (html === null ? '' : textOf(html))
  const built = await new MailComposer({
    text,
    ...(html !== null && { html }),
    attachments: attachments.map(attached),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
  const end = built.indexOf('\r\n\r\n')
  const text8 = built.subarray(end + 4).toString('latin1')
  // A carriage return alone would become a line end on the way, behind the signature (RFC 5321 §2.3.8).
  const bytes = /\r(?!\n)/.test(text8) ? Buffer.from(text8.replace(/\r(?!\n)/g, '\r\n'), 'latin1') : built.subarray(end + 4)
  const fields = built.subarray(0, end + 2).toString('latin1').match(/[^\r]*\r\n(?:[ \t][^\r]*\r\n)*/g) ?? []
  return {
    fields: fields.filter((field) => describing.test(field.slice(0, field.indexOf(':')))).join(''),
    bytes,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the octets of ASCII.
    is8Bit: /[^\u0000-\u007f]/.test(text8),
    hash: createHash('sha256').update(relaxedBody(bytes)).digest('base64'),
  }
}

const attached = ({ filename, content_type, content, content_id }: Attachment) => ({
  filename,
  contentType: content_type,
  content: Buffer.from(content, 'base64'),
  ...(content_id !== undefined && { cid: content_id }),
})

/** The text of an HTML page for those who read no HTML. */
const textOf = (html: string): string =>
  convert(html, {
    wordwrap: 78,
    limits: { maxInputLength: 2 ** 20, maxDepth: 100, ellipsis: '' },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  })
