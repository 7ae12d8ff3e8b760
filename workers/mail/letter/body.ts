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
  const bytes = built.subarray(end + 4)
  const fields = built.subarray(0, end + 2).toString('latin1').match(/[^\r]*\r\n(?:[ \t][^\r]*\r\n)*/g) ?? []
  return {
    fields: fields.filter((field) => describing.test(field.slice(0, field.indexOf(':')))).join(''),
    bytes,
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
