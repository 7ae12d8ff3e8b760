import { createHash, randomBytes } from 'node:crypto'
import { convert } from 'html-to-text'
import MailComposer from 'nodemailer/lib/mail-composer'
import { buildHeaderValue, parseHeaderValue } from 'nodemailer/lib/mime-funcs'
import type MimeNode from 'nodemailer/lib/mime-node'
import { encode, wrap } from 'nodemailer/lib/qp'
import type { Attachment } from '#sql/email/contents.ts'
import type { Body, BodyContent } from '#tasks/email/engine.ts'
import { relaxedBody } from './canonical.ts'
import { encodedWords, isLikeEncoded } from './encoded-words.ts'

/** What a message says. */
export type BodyParts = Omit<BodyContent, 'org_id'>

/** A part of a message: its fields and what follows them, as they are on the wire. */
interface Part {
  fields: string
  text: string
}

/**
 * Builds the body of messages: text and HTML as alternatives, attachments behind. Line ends are CRLF throughout: what is
 * signed must be what is sent.
 */
export async function buildBody(content: BodyParts): Promise<Body> {
  const { html } = content
  const text = content.text ?? (html === null ? '' : textOf(html))
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

/** A line end each; one alone would become another on the way, behind the signature (RFC 5321 §2.3.8). */
const withCrlf = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n')

/** As it is where it may be (RFC 2045 §2.7), else quoted-printable. */
const isPlain = (text: string): boolean => /^[\t\r\n\u0020-\u007e]*$/.test(text) && !/[^\n]{77}/.test(text)

/** One text. Most messages have no more than two: the streams of nodemailer's composer cost five times as much as encoding them. */
function leaf(type: string, text: string): Part {
  const normal = withCrlf(text)
  const asIs = isPlain(normal)
  return {
    fields: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${asIs ? '7bit' : 'quoted-printable'}\r\n`,
    text: ended(asIs ? normal : wrap(encode(Buffer.from(normal)), 76)),
  }
}

const ended = (text: string): string => (text.endsWith('\r\n') ? text : `${text}\r\n`)

/** RFC 2046 §5.1.4: the last one is the best. */
function alternatives(parts: readonly Part[]): Part {
  // `=_` is nothing that quoted-printable writes (RFC 2045 §6.7), and nobody can foresee the rest.
  const boundary = `=_${randomBytes(12).toString('hex')}`
  const inner = parts.map(({ fields, text }) => `--${boundary}\r\n${fields}\r\n${text}`).join('')
  return {
    fields: `Content-Type: multipart/alternative; boundary="${boundary}"\r\n`,
    text: `${inner}--${boundary}--\r\n`,
  }
}

/** Fields of ours in what nodemailer builds; it sets Message-ID and Date by itself, which are the message's own. */
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
 * Encodes the names of files that look like encoded words. nodemailer does so in Content-Disposition (RFC 2231), and leaves the `name` of
 * Content-Type, which older programs show, as it is.
 */
function encodeNames(node: MimeNode): void {
  node.childNodes.forEach(encodeNames)
  const { filename } = node
  if (!filename || !isLikeEncoded(filename)) return
  const { value, params } = parseHeaderValue(String(node.getHeader('Content-Type')), { stripComments: true })
  const others = Object.fromEntries(Object.entries(params).filter(([name]) => !/^name(?:\*|$)/i.test(name)))
  const type = buildHeaderValue({ value, params: others })
  node.setHeader('Content-Type', {
    prepared: true,
    foldLines: true,
    value: `${type}; name="${encodedWords(filename)}"`,
  })
}

/** A calendar with a method asks its reader for something (RFC 6047 §2.4): programs show it where it is an alternative of the text. */
const isInvitation = ({ content_type, content_id }: Attachment): boolean =>
  content_id === undefined && /^text\/calendar[ \t]*;(?:.*;)?[ \t]*method=/i.test(content_type)

const bytesOf = ({ content }: Attachment): Buffer => Buffer.from(content, 'base64')

/** As a file, an invitation is `application/ics`, so that no program shows it twice. */
const attached = (attachment: Attachment) => ({
  filename: attachment.filename,
  contentType: isInvitation(attachment) ? 'application/ics' : attachment.content_type,
  content: bytesOf(attachment),
  ...(attachment.content_id !== undefined && { cid: attachment.content_id }),
})

/** The text of an HTML page for those who read no HTML. */
const textOf = (html: string): string =>
  convert(html, {
    wordwrap: 78,
    limits: { maxInputLength: 2 ** 20, maxDepth: 100, ellipsis: '' },
    selectors: [
      { selector: 'img', format: 'skip' },
      // What programs show beside the subject stands in front of the text once more.
      { selector: '[data-preheader]', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  })
