import { createHash, randomBytes } from 'node:crypto'
import MailComposer from 'nodemailer/lib/mail-composer'
import { buildHeaderValue, parseHeaderValue } from 'nodemailer/lib/mime-funcs'
import type MimeNode from 'nodemailer/lib/mime-node'
import { encode, wrap } from 'nodemailer/lib/qp'
import type { Attachment } from '#sql/email/contents.ts'
import type { Body, BodyContent } from '#tasks/email/engine.ts'
import { textOfHtml } from '#tasks/email/rules/html-text.ts'
import { relaxedBody } from './canonical.ts'
import { encodedWords, looksEncoded } from './encoded-words.ts'

export type BodyParts = Omit<BodyContent, 'org_id'>

interface Part {
  fields: string
  text: string
}

/**
 * Builds a body: text and HTML as alternatives, then attachments. All line ends are CRLF, because the sent bytes must
 * be the signed ones.
 */
export async function buildBody(content: BodyParts): Promise<Body> {
  const { html } = content
  const text = content.text ?? (html === null ? '' : textOfHtml(html))
  const { fields, text: body } =
    content.attachments.length > 0
      ? await compose(text, html, content.attachments)
      : html === null
        ? leaf('text/plain', text)
        : alternatives([leaf('text/plain', text), leaf('text/html', html)])
  const bytes = Buffer.from(body, 'latin1')
  return {
    fields: `MIME-Version: 1.0\r\n${fields}`,
    bytes,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the octets of ASCII.
    is8Bit: /[^\u0000-\u007f]/.test(body),
    hash: createHash('sha256').update(relaxedBody(bytes)).digest('base64'),
    text,
  }
}

/**
 * Returns the text with CRLF as the only line end. A lone CR or LF would be changed after signing (RFC 5321 §2.3.8).
 */
const withCrlf = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n')

/** True if the text can be sent unchanged (RFC 2045 §2.7). Otherwise it is sent as quoted-printable. */
const isPlain = (text: string): boolean => /^[\t\r\n\u0020-\u007e]*$/.test(text) && !/[^\n]{77}/.test(text)

/** Encodes one text directly, because the streams of nodemailer's composer cost five times as much. */
function leaf(type: string, text: string): Part {
  const normal = withCrlf(text)
  const asIs = isPlain(normal)
  return {
    fields: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${asIs ? '7bit' : 'quoted-printable'}\r\n`,
    text: ended(asIs ? normal : wrap(encode(Buffer.from(normal)), 76)),
  }
}

const ended = (text: string): string => (text.endsWith('\r\n') ? text : `${text}\r\n`)

/** Clients prefer the last alternative (RFC 2046 §5.1.4). */
function alternatives(parts: readonly Part[]): Part {
  // Quoted-printable never contains `=_` (RFC 2045 §6.7). The rest of the boundary is random.
  const boundary = `=_${randomBytes(12).toString('hex')}`
  const inner = parts.map(({ fields, text }) => `--${boundary}\r\n${fields}\r\n${text}`).join('')
  return {
    fields: `Content-Type: multipart/alternative; boundary="${boundary}"\r\n`,
    text: `${inner}--${boundary}--\r\n`,
  }
}

/** Header fields that describe the body. nodemailer also sets Message-ID and Date, which belong to the message. */
const describing = /^content-[a-z-]+$/i

async function compose(text: string, html: string | null, attachments: readonly Attachment[]): Promise<Part> {
  const invitation = attachments.find(isInvitation)
  const node = new MailComposer({
    text,
    ...(html !== null && { html }),
    alternatives: invitation ? [{ contentType: invitation.content_type, content: bytesOf(invitation) }] : [],
    attachments: attachments.map(attached),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  encodeNames(node)
  const built = await node.build()
  const end = built.indexOf('\r\n\r\n')
  const fields = built
    .subarray(0, end + 2)
    .toString('latin1')
    .split(/\r\n(?![ \t])/)
  return {
    fields: fields
      .filter((field) => describing.test(field.slice(0, field.indexOf(':'))))
      .map((field) => `${field}\r\n`)
      .join(''),
    text: withCrlf(built.subarray(end + 4).toString('latin1')),
  }
}

/**
 * Encodes file names that look like encoded words. nodemailer encodes them in Content-Disposition (RFC 2231), but not
 * in the `name` of Content-Type, which older clients show.
 */
function encodeNames(node: MimeNode): void {
  node.childNodes.forEach(encodeNames)
  const { filename } = node
  if (!filename || !looksEncoded(filename)) return
  const { value, params } = parseHeaderValue(String(node.getHeader('Content-Type')), { stripComments: true })
  const others = Object.fromEntries(Object.entries(params).filter(([name]) => !/^name(?:\*|$)/i.test(name)))
  const type = buildHeaderValue({ value, params: others })
  node.setHeader('Content-Type', {
    prepared: true,
    foldLines: true,
    value: `${type}; name="${encodedWords(filename)}"`,
  })
}

/**
 * True for a calendar with a method (RFC 6047 §2.4). Email clients show an invitation only if it is an alternative of
 * the text.
 */
const isInvitation = ({ content_type, content_id }: Attachment): boolean =>
  content_id === undefined && /^text\/calendar[ \t]*;(?:.*;)?[ \t]*method=/i.test(content_type)

const bytesOf = ({ content }: Attachment): Buffer => Buffer.from(content, 'base64')

/** An invitation is attached as `application/ics`, so that no client shows it twice. */
const attached = (attachment: Attachment) => ({
  filename: attachment.filename,
  contentType: isInvitation(attachment) ? 'application/ics' : attachment.content_type,
  content: bytesOf(attachment),
  ...(attachment.content_id !== undefined && { cid: attachment.content_id }),
})
