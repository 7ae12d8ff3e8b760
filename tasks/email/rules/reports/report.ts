import type { Attachment, HeaderValue, ParsedMail } from 'mailparser'
import { loadLater } from '#lib/load-later.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { type BounceText, type ReturnedText, readBounceText } from './bounce-text.ts'
import { type Fields, getFirstValue, readBlocks, readFields, stripType } from './fields.ts'

const library = loadLater('mailparser', () => import('mailparser'))

/** Report by a server that had accepted the message, in the format of RFC 3464 or in plain text. */
export interface DeliveryReport {
  kind: 'delivery'
  /** Action of the recipient with the worst result. */
  action: Action
  /** Enhanced status code (RFC 3463). Null if it cannot be read. */
  status: string | null
  diagnostic: string | null
}

/** RFC 5965. */
export interface FeedbackReport {
  kind: 'feedback'
  /** `abuse`, `fraud`, `not-spam` and others, in lower case. */
  type: string
  fields: Fields
  /** Header of the returned message. Empty if it was not returned. */
  returned: Fields
}

export type Report = DeliveryReport | FeedbackReport | null

/** RFC 3464 §2.3.3, the worst first. */
const actions = ['failed', 'delayed', 'expanded', 'relayed', 'delivered'] as const

export type Action = (typeof actions)[number]

/** Parses a report. Throws if the MIME message cannot be read at all. */
export async function readReport(message: Uint8Array): Promise<Report> {
  const { simpleParser } = await library()
  const mail = await simpleParser(Buffer.from(message.buffer, message.byteOffset, message.length), {
    keepDeliveryStatus: true,
    ignoreEmbedded: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    keepCidLinks: true,
    checksumAlgo: false,
    maxHeadSize: 256 * 1024,
    maxChildNodes: 50,
  })
  const part = (...types: string[]) =>
    mail.attachments.find(({ contentType }) => types.includes(contentType.toLowerCase()))
  // RFC 6522 §3. Some servers put the report in multipart/mixed.
  const isReport = mediaType(mail.headers.get('content-type')) === 'multipart/report'
  const feedback = isReport ? part('message/feedback-report') : undefined
  if (feedback) {
    const returned = part('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers')
    return feedbackReport(textOf(feedback), returned ? textOf(returned) : '')
  }
  const words = readBounceText(returnedText(mail))
  const delivery = part('message/delivery-status', 'message/global-delivery-status')
  if (delivery) return deliveryReport(textOf(delivery), words)
  return words && { kind: 'delivery', ...words }
}

function feedbackReport(text: string, returned: string): FeedbackReport {
  const fields = readFields(text)
  const type = getFirstValue(fields, 'feedback-type')?.toLowerCase() ?? ''
  return { kind: 'feedback', type, fields, returned: readFields(returned) }
}

/** An unreadable report counts as a failure, because servers format delays and deliveries correctly. */
function deliveryReport(text: string, words: BounceText | null): DeliveryReport {
  // The first block is about the message. Each further block is about a recipient (RFC 3464 §2.1).
  const recipients = readBlocks(text).filter((block) => block.has('action') || block.has('status'))
  for (const action of actions) {
    const found = recipients.find((block) => actionOf(block) === action)
    if (!found) continue
    const diagnostic = getFirstValue(found, 'diagnostic-code')
    const said = diagnostic ? plain(stripType(diagnostic)) : action === 'failed' ? (words?.diagnostic ?? null) : null
    return { kind: 'delivery', action, status: statusOf(found), diagnostic: said }
  }
  return { kind: 'delivery', action: 'failed', status: words?.status ?? null, diagnostic: words?.diagnostic ?? null }
}

/** Reads the first word, for example of `failed (permanent failure)`. If the word is unknown, the status decides. */
function actionOf(block: Fields): Action {
  const word = /[a-z]+/.exec(withoutComments(getFirstValue(block, 'action') ?? '').toLowerCase())?.[0]
  const known = actions.find((action) => action === word)
  return known ?? (statusOf(block)?.startsWith('2') ? 'delivered' : 'failed')
}

const statusOf = (block: Fields): string | null =>
  /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(getFirstValue(block, 'status') ?? '')?.[0] ?? null

/** RFC 5322 §3.2.2. */
const withoutComments = (value: string): string => value.slice(0, 200).replaceAll(/\([^()]{0,200}\)/g, ' ')

const plain = (said: string): string => toStorableText(said.replaceAll(/[^\P{C} ]/gu, ' '), 500)

const mostHtml = 32_768

function returnedText({ headers, from, subject = '', text, html }: ParsedMail): ReturnedText {
  const submitted = String(headers.get('auto-submitted') ?? '').toLowerCase()
  const isAnswer = submitted.startsWith('auto-replied') || headers.has('x-autoreply') || headers.has('x-autorespond')
  const page = html ? html.slice(0, mostHtml).replaceAll(/<[^<>]{0,1000}>/g, '\n') : ''
  const failedRecipients = headers.has('x-failed-recipients')
  return { from: from?.text ?? '', subject, failedRecipients, isAnswer, text: text?.trim() ? text : page }
}

const textOf = ({ content }: Attachment): string => content.toString('utf8')

const mediaType = (header: HeaderValue | undefined): string =>
  typeof header === 'object' && 'value' in header && typeof header.value === 'string' ? header.value.toLowerCase() : ''
