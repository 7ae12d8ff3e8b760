import { type AddressObject, type Attachment, type ParsedMail, simpleParser } from 'mailparser'
import { parseAddress } from '#lib/email-address.ts'
import { outsideText } from '#lib/outside-text.ts'
import type { MailFile, ReadMail } from '#tasks/email/rules/reader.ts'
import { authenticate } from './authenticate.ts'
import { withoutEscapes, withUtf8Header } from './iso-2022-jp.ts'
import { stripReply } from './strip-reply.ts'

/** How much of a mail is kept beside its bytes, in characters, fields and files. */
const most = { text: 256 * 1024, html: 512 * 1024, fields: 200, value: 2_000, addresses: 100, files: 50, ids: 50 }

/** What a thread is given. */
export interface MailWork {
  bytes: Uint8Array
  sender: string
  remoteAddress: string
  helo: string
  /** HTML is not read as text. */
  asItIs: boolean
  mta: string
  /** Name servers; none for those of the system. */
  servers: string[]
}

/** Reads a mail and checks who it is from; rejects when it is none. */
export async function readMail(given: MailWork): Promise<ReadMail> {
  const { bytes, asItIs } = given
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const authentication = await authenticate(source, given).catch(() => null)
  const parsed = await simpleParser(withUtf8Header(source), {
    skipHtmlToText: asItIs,
    skipTextToHtml: true,
    skipImageLinks: true,
    keepCidLinks: true,
    // A mail that is attached is a file: what it says, its sender did not.
    ignoreEmbedded: true,
    checksumAlgo: false,
    maxHeadSize: 256 * 1024,
    maxChildNodes: 300,
    maxHtmlLengthToParse: 2 ** 20,
  })
  const from = addressesOf(parsed.from)[0]
  const text = parsed.text === undefined ? null : outsideText(withoutEscapes(parsed.text), most.text)
  return {
    authentication,
    from_email: from ? storedForm(from.email) : null,
    from_name: from?.name ? outsideText(from.name, 200) : null,
    to_emails: [...addressesOf(parsed.to), ...addressesOf(parsed.cc)]
      .slice(0, most.addresses)
      .map(({ email }) => storedForm(email)),
    subject: parsed.subject === undefined ? null : outsideText(parsed.subject, 998),
    message_id: bare(parsed.messageId) ?? null,
    auto_submitted: isAutomatic(parsed, given.sender),
    text,
    html: parsed.html ? outsideText(withoutEscapes(parsed.html), most.html) : null,
    reply: text === null ? null : stripReply(text),
    headers: parsed.headerLines.slice(0, most.fields).map(({ line }) => fieldOf(line)),
    answers: answersOf(parsed),
    files: parsed.attachments.slice(0, most.files).map(fileOf),
    filesLeftOut: Math.max(0, parsed.attachments.length - most.files),
  }
}

interface MailAddress {
  name: string
  email: string
}

const addressesOf = (field: AddressObject | AddressObject[] | undefined): MailAddress[] =>
  [field ?? []]
    .flat()
    .flatMap(({ value }) =>
      value
        .flatMap((one) => [one, ...(one.group ?? [])])
        .flatMap(({ name, address }) => (address ? [{ name, email: address }] : [])),
    )

/** As addresses are compared; what is none is shown as it is. */
function storedForm(text: string): string {
  const parsed = parseAddress(text)
  return typeof parsed === 'string' ? outsideText(text.toLowerCase(), 320) : parsed.address
}

/** A Message-ID without its brackets. */
function bare(id: string | undefined): string | undefined {
  const text = id?.trim() ?? ''
  const inner = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text
  return inner === '' ? undefined : outsideText(inner, 998)
}

/** What it says that it answers, then what that answered, back to the first. */
function answersOf({ inReplyTo, references }: ParsedMail): string[] {
  const named = [inReplyTo ?? [], [references ?? []].flat().toReversed()].flat()
  // Some programs write commas between the ids (RFC 5322 §3.6.4 has blanks), and none can be in one.
  const ids = named.flatMap((text) => text.match(/[^\s,;<>]+/g) ?? []).map((id) => outsideText(id, 998))
  return [...new Set(ids)].slice(0, most.ids)
}

/** Whether no person wrote it (RFC 3834 §5, and what older programs say): nothing is to answer it. */
function isAutomatic({ headers }: ParsedMail, sender: string): boolean {
  const said = (name: string) => String(headers.get(name) ?? '').toLowerCase()
  const submitted = said('auto-submitted')
  const precedence = said('precedence')
  return (
    sender === '' ||
    (submitted !== '' && submitted !== 'no') ||
    ['bulk', 'junk', 'list', 'auto_reply'].includes(precedence) ||
    ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress', 'list-id'].some((name) => headers.has(name))
  )
}

function fieldOf(line: string): { name: string; value: string } {
  const colon = line.indexOf(':')
  const value = line.slice(colon + 1, colon + 1 + 2 * most.value)
  const unfolded = value
    .split('\n')
    .map((part) => part.trim())
    .join(' ')
  return { name: outsideText(line.slice(0, colon).trim(), 100), value: outsideText(unfolded.trim(), most.value) }
}

function fileOf({ filename, contentType, content, cid, related, contentDisposition }: Attachment): MailFile {
  return {
    filename: filename ?? 'unnamed',
    content_type: contentType,
    content_id: cid === undefined ? null : outsideText(cid, 200),
    inline: related === true || contentDisposition === 'inline',
    content,
  }
}
