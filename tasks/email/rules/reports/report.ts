import type { Attachment, HeaderValue } from 'mailparser'
import { loadLater } from '#lib/load-later.ts'
import { outsideText } from '#lib/outside-text.ts'
import { type Fields, first, readBlocks, readFields, withoutType } from './fields.ts'

const library = loadLater('mailparser', () => import('mailparser'))

/** What a server tells of the message that it took (RFC 3464). */
export interface DeliveryReport {
  kind: 'delivery'
  /** What became of the recipient whose way ended worst. */
  action: Action
  /** RFC 3463; null when there is none that can be read. */
  status: string | null
  /** What the server said, for people. */
  diagnostic: string | null
}

/** What a mailbox provider passes on of its user's opinion of a message (RFC 5965). */
export interface FeedbackReport {
  kind: 'feedback'
  /** `abuse`, `fraud`, `not-spam` and others, in lower case. */
  type: string
  fields: Fields
  /** The header of the message that it is about; empty when it was not returned. */
  returned: Fields
}

/** What a report says; null for any other mail, such as a vacation notice. */
export type Report = DeliveryReport | FeedbackReport | null

/** RFC 3464 §2.3.3, the worst first. */
const actions = ['failed', 'delayed', 'expanded', 'relayed', 'delivered'] as const

/** What became of a recipient. */
export type Action = (typeof actions)[number]

/** Reads a message in MIME; rejects when it cannot be read at all. */
export async function readReport(message: Uint8Array): Promise<Report> {
  const { simpleParser } = await library()
  const { headers, attachments } = await simpleParser(Buffer.from(message.buffer, message.byteOffset, message.length), {
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
  // RFC 6522 §3.
  if (mediaType(headers.get('content-type')) !== 'multipart/report') return null
  const part = (...types: string[]) => attachments.find(({ contentType }) => types.includes(contentType.toLowerCase()))
  const delivery = part('message/delivery-status', 'message/global-delivery-status')
  if (delivery) return deliveryReport(textOf(delivery))
  const feedback = part('message/feedback-report')
  if (!feedback) return null
  const fields = readFields(textOf(feedback))
  const returned = part('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers')
  return {
    kind: 'feedback',
    type: first(fields, 'feedback-type')?.toLowerCase() ?? '',
    fields,
    returned: readFields(returned ? textOf(returned) : ''),
  }
}

function deliveryReport(text: string): Report {
  // The first block is about the message, each further one about a recipient (RFC 3464 §2.1).
  const recipients = readBlocks(text).filter((block) => block.has('action'))
  for (const action of actions) {
    const found = recipients.find((block) => first(block, 'action')?.toLowerCase() === action)
    if (!found) continue
    const status = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(first(found, 'status') ?? '')
    const diagnostic = first(found, 'diagnostic-code')
    return { kind: 'delivery', action, status: status?.[0] ?? null, diagnostic: diagnostic ? said(diagnostic) : null }
  }
  return null
}

const said = (diagnostic: string): string => outsideText(withoutType(diagnostic).replaceAll(/[^\P{C} ]/gu, ' '), 500)

const textOf = ({ content }: Attachment): string => content.toString('utf8')

const mediaType = (header: HeaderValue | undefined): string =>
  typeof header === 'object' && 'value' in header && typeof header.value === 'string' ? header.value.toLowerCase() : ''
