import { createHash } from 'node:crypto'
import { type AddressObject, type Attachment, type HeaderLines, type ParsedMail, simpleParser } from 'mailparser'
import { isReservedHeader } from '../fields.ts'
import { readOptions } from './options.ts'

export interface SubmittedMail {
  bytes: Uint8Array
  /** Address in MAIL FROM. Empty for `<>`. */
  sender: string
  /** Addresses in RCPT TO, without repetitions. */
  recipients: readonly string[]
}

export interface ApiRequest {
  /** JSON body of `POST /send/v1/messages`. */
  body: string
  /** `undefined` without the header `X-Idempotency-Key` and without a Message-ID. */
  idempotencyKey: string | undefined
}

/** Maximum number of additional headers (see `Headers` in ../fields.ts). */
const mostHeaders = 30

/** Converts a submitted email to a request of the API. Throws if the bytes are not an email. */
export async function readMessage({ bytes, sender, recipients }: SubmittedMail): Promise<ApiRequest> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mail = await simpleParser(source, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    keepCidLinks: true,
    // An attached email stays a file.
    ignoreEmbedded: true,
    checksumAlgo: false,
    maxHeadSize: 256 * 1024,
    maxChildNodes: 300,
  })
  const { idempotencyKey, ...options } = readOptions(mail.headerLines)
  const [from] = addressesOf(mail.from)
  const [replyTo] = addressesOf(mail.replyTo)
  const body = {
    stream: 'transactional',
    ...options,
    from: { email: from?.email ?? sender, ...(from?.name && { name: from.name }) },
    ...splitRecipients(mail, recipients),
    subject: mail.subject,
    text: mail.text?.trim() ? mail.text : undefined,
    html: mail.html || undefined,
    reply_to: replyTo?.email,
    headers: otherHeaders(mail.headerLines),
    attachments: mail.attachments.length > 0 ? mail.attachments.map(attachmentOf) : undefined,
  }
  return { body: JSON.stringify(body), idempotencyKey: idempotencyKey ?? keyOf(mail.messageId, recipients) }
}

const addressesOf = (field: AddressObject | AddressObject[] | undefined): { email: string; name: string }[] =>
  [field ?? []]
    .flat()
    .flatMap(({ value }) => value.flatMap((one) => one.group ?? one))
    .flatMap(({ address, name }) => (address ? [{ email: address, name }] : []))

/**
 * The first recipient in the header To is `to`, other recipients in To and Cc are `cc`, and recipients in neither are
 * `bcc`.
 */
function splitRecipients(mail: ParsedMail, recipients: readonly string[]) {
  const shown = new Set([...addressesOf(mail.to), ...addressesOf(mail.cc)].map(({ email }) => email.toLowerCase()))
  const visible = [...shown].flatMap((email) => recipients.find((one) => one.toLowerCase() === email) ?? [])
  const hidden = recipients.filter((one) => !shown.has(one.toLowerCase()))
  const [to, ...cc] = visible.length > 0 ? visible : hidden.splice(0, 1)
  return { to, cc: cc.length > 0 ? cc : undefined, bcc: hidden.length > 0 ? hidden : undefined }
}

/** Returns the headers that a client can set, without those that are options. The first of repeated headers counts. */
function otherHeaders(lines: HeaderLines): Record<string, string> | undefined {
  const kept = lines
    .filter(({ key }) => !isReservedHeader(key) && !isOption(key))
    .map(({ line }) => [line.slice(0, line.indexOf(':')), unfold(line)] as const)
    .slice(0, mostHeaders)
  return kept.length > 0 ? Object.fromEntries(kept.toReversed()) : undefined
}

const isOption = (key: string) => /^x-(idempotency-key|stream|tag|metadata|send-at|track-(opens|clicks))(-|$)/.test(key)

const unfold = (line: string) =>
  line
    .slice(line.indexOf(':') + 1)
    .replace(/\r?\n[ \t]/g, ' ')
    .trim()

function attachmentOf({ filename, content, contentType, headers, cid, related }: Attachment, at: number) {
  return {
    filename: (filename ?? `attachment-${at + 1}`).replace(/[/\\\p{Cc}]/gu, '_').slice(0, 255),
    content_type: /^(multipart|message)\//i.test(contentType)
      ? 'application/octet-stream'
      : withMethod(contentType, headers),
    content: content.toString('base64'),
    content_id: related && cid ? cid : undefined,
  }
}

/** Keeps the method of a calendar file, so that email clients show the invitation (RFC 6047 §2.4). */
function withMethod(contentType: string, headers: Attachment['headers']): string {
  const declared = headers.get('content-type') as { params?: Record<string, string> } | undefined
  const { method, charset } = declared?.params ?? {}
  if (contentType !== 'text/calendar' || !/^[A-Za-z]{1,20}$/.test(method ?? '')) return contentType
  return `text/calendar; charset=${/^[\w-]{1,40}$/.test(charset ?? '') ? charset : 'utf-8'}; method=${method}`
}

/** A client that lost the reply sends the same Message-ID again, to the same recipients. */
function keyOf(messageId: string | undefined, recipients: readonly string[]): string | undefined {
  if (!messageId) return undefined
  const about = JSON.stringify([messageId, recipients.map((one) => one.toLowerCase()).toSorted()])
  return `smtp-${createHash('sha256').update(about).digest('base64url')}`
}
