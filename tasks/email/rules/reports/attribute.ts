import { parseAddress } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as inbound from '#sql/email/inbound.ts'
import { readUnsubscribeToken } from '../consent/unsubscribe-link.ts'
import { readReturnLocalPart } from '../received/return-path.ts'
import { getFirstValue } from './fields.ts'
import type { FeedbackReport } from './report.ts'

/**
 * Finds the message of a feedback report by data that only its recipient and the servers know: the envelope sender, the
 * unsubscribe token, the Message-ID. The recipient’s email address is not used, because anyone can write it and
 * providers remove it.
 */
export async function findReportedMessage(
  db: Db,
  report: FeedbackReport,
  secret: string,
): Promise<inbound.ReturnedMessage | null> {
  const proven = provenId(report, secret)
  return proven ? await inbound.findReturned(db, proven) : await byMessageId(db, report)
}

function provenId({ fields, returned }: FeedbackReport, secret: string): string | null {
  const addresses = [
    getFirstValue(fields, 'original-mail-from'),
    getFirstValue(returned, 'return-path'),
    getFirstValue(returned, 'x-original-return-path'),
  ]
  for (const address of addresses) {
    const id = address && readReturnLocalPart('b', localPart(address), secret)
    if (id) return id
  }
  for (const [, uri = ''] of (getFirstValue(returned, 'list-unsubscribe') ?? '').matchAll(/<([^<>]*)>/g)) {
    const [scheme] = uri.split(':', 1)
    const id =
      scheme === 'mailto'
        ? readReturnLocalPart('u', localPart(uri.slice('mailto:'.length).split('?', 1)[0] ?? ''), secret)
        : readUnsubscribeToken(uri.replaceAll(/\s/g, '').split('/').at(-1) ?? '', secret)
    if (id) return id
  }
  return null
}

const localPart = (address: string): string => address.replaceAll(/[<>\s]/g, '').split('@', 1)[0] ?? ''

const lastAddress = (from: string): string => {
  const written = from.trimEnd()
  const bare = written.endsWith('>') ? written.slice(0, -1) : written
  return bare.split(/[\s<>,]/).at(-1) ?? ''
}

/**
 * Finds a message by its Message-ID. Message-IDs of Millrace begin with the ID of the message. The sending domain must
 * match.
 */
async function byMessageId(db: Db, { returned }: FeedbackReport): Promise<inbound.ReturnedMessage | null> {
  const messageId = (getFirstValue(returned, 'message-id') ?? '').replaceAll(/[<>\s]/g, '')
  const id = Id.safeParse(messageId.split('@', 1)[0])
  if (!id.success) return null
  const message = await inbound.findReturned(db, id.data)
  const from = parseAddress(lastAddress(getFirstValue(returned, 'from') ?? ''))
  const isSame = message?.message_id === messageId && typeof from !== 'string' && from.address === message.from_email
  // Copies have the same Message-ID, so the recipient is unknown.
  return isSame && !(await inbound.hasCopies(db, message.id)) ? message : null
}
