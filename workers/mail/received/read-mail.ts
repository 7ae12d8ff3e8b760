import { type AddressObject, type Attachment, type ParsedMail, simpleParser } from 'mailparser'
import { parseAddress } from '#lib/email-address.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { MailFile, ReadMail } from '#tasks/email/rules/received/reader.ts'
import { authenticate } from './authenticate.ts'
import { readAutomatic } from './automatic.ts'
import { decodeEscapes, withUtf8Header } from './iso-2022-jp.ts'
import { readHtml, withoutBlanks } from './read-html.ts'
import { stripReply } from './strip-reply.ts'

const most = {
  text: 256 * 1024,
  html: 512 * 1024,
  fields: 200,
  value: 2_000,
  addresses: 100,
  files: 50,
  ids: 50,
  parsedHtml: 2 ** 20,
}

export interface MailWork {
  bytes: Uint8Array
  sender: string
  remoteAddress: string
  helo: string
  /** True if HTML is not converted to text. */
  asItIs: boolean
  mta: string
  /** Name servers. If empty, those of the system are used. */
  servers: string[]
}

/** Parses an email. Throws if the bytes are not an email. */
export async function readMail(given: MailWork): Promise<ReadMail> {
  const { bytes, asItIs } = given
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const authentication = await authenticate(source, given).catch(() => null)
  const parsed = await simpleParser(withUtf8Header(source), {
    skipHtmlToText: asItIs,
    skipTextToHtml: true,
    skipImageLinks: true,
    keepCidLinks: true,
    // An attached email is treated as a file, because the sender did not write its text.
    ignoreEmbedded: true,
    checksumAlgo: false,
    maxHeadSize: 256 * 1024,
    maxChildNodes: 300,
    maxHtmlLengthToParse: most.parsedHtml,
  })
  const from = addressesOf(parsed.from)[0]
  const answers = answersOf(parsed)
  const isAnswer = answers.length > 0 || answerSubject.test(parsed.subject ?? '')
  const html = parsed.html ? decodeEscapes(parsed.html) : undefined
  return {
    authentication,
    from_email: from ? storedForm(from.email) : null,
    from_name: from?.name ? toStorableText(from.name, 200) : null,
    to_emails: [...addressesOf(parsed.to), ...addressesOf(parsed.cc)]
      .slice(0, most.addresses)
      .map(({ email }) => storedForm(email)),
    subject: parsed.subject === undefined ? null : toStorableText(parsed.subject, 998),
    message_id: bare(parsed.messageId) ?? null,
    ...readAutomatic(parsed, given.sender),
    ...textsOf(parsed, html, { asItIs, isAnswer }),
    html: html === undefined ? null : toStorableText(html, most.html),
    headers: parsed.headerLines.slice(0, most.fields).map(({ line }) => fieldOf(line)),
    answers,
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

/** Returns the address in its stored form. Invalid addresses are unchanged. */
function storedForm(text: string): string {
  const parsed = parseAddress(text)
  return typeof parsed === 'string' ? toStorableText(text.toLowerCase(), 320) : parsed.address
}

function bare(id: string | undefined): string | undefined {
  const text = id?.trim() ?? ''
  const inner = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text
  return inner === '' ? undefined : toStorableText(inner, 998)
}

/** Returns the IDs from In-Reply-To, then those from References, newest first. */
function answersOf({ inReplyTo, references }: ParsedMail): string[] {
  const named = [inReplyTo ?? [], [references ?? []].flat().toReversed()].flat()
  // Some clients separate IDs with commas instead of blanks (RFC 5322 §3.6.4). IDs cannot contain commas.
  const ids = named.flatMap((text) => text.match(/[^\s,;<>]+/g) ?? []).map((id) => toStorableText(id, 998))
  return [...new Set(ids)].slice(0, most.ids)
}

const answerSubject = /^\s{0,5}(?:re|aw|sv|vs|antw|odp|rif|ynt|vá|на|答复|回复|回覆|答覆)(?:\[\d{1,3}\])?\s?[:：]/iu

const isPage = ({ headers }: ParsedMail): boolean => {
  const type = headers.get('content-type')
  return typeof type === 'object' && 'value' in type && type.value === 'text/html'
}

/** True if a text contains texts that the HTML hides from people. mailparser adds the text of HTML between text parts. */
function hasHidden(text: string, hidden: readonly string[]): boolean {
  if (hidden.length === 0) return false
  const all = withoutBlanks(text.slice(0, most.text))
  return hidden.some((one) => all.includes(one))
}

/** Returns the text and the part that the sender wrote. If the plain part is blank, uses the HTML. */
function textsOf(
  parsed: ParsedMail,
  html: string | undefined,
  { asItIs, isAnswer }: { asItIs: boolean; isAnswer: boolean },
): Pick<ReadMail, 'text' | 'reply'> {
  const page = html && !asItIs && html.length <= most.parsedHtml ? readHtml(html) : undefined
  const plain = parsed.text && decodeEscapes(parsed.text)
  const said = plain?.trim() && !(page && (isPage(parsed) || hasHidden(plain, page.hidden))) ? plain : page?.text
  if (!said) return { text: null, reply: null }
  const text = toStorableText(said, most.text)
  const { reply, hasQuote } = stripReply(text, isAnswer)
  // Quotes in HTML are marked the same in every language.
  const unquoted = hasQuote ? undefined : page?.unquoted
  return { text, reply: unquoted ? stripReply(toStorableText(unquoted, most.text), isAnswer).reply : reply }
}

function fieldOf(line: string): { name: string; value: string } {
  const colon = line.indexOf(':')
  const value = line.slice(colon + 1, colon + 1 + 2 * most.value)
  const unfolded = value
    .split('\n')
    .map((part) => part.trim())
    .join(' ')
  return { name: toStorableText(line.slice(0, colon).trim(), 100), value: toStorableText(unfolded.trim(), most.value) }
}

function fileOf({ filename, contentType, content, cid, related, contentDisposition }: Attachment): MailFile {
  return {
    filename: filename ?? 'unnamed',
    content_type: contentType,
    content_id: cid === undefined ? null : toStorableText(cid, 200),
    inline: related === true || contentDisposition === 'inline',
    content,
  }
}
