import { newId } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as inbound from '#sql/email/inbound.ts'
import { unsubscribeRecipient } from '#tasks/email/rules/consent/unsubscribe-recipient.ts'
import { recordBounce } from '#tasks/email/rules/record-bounce.ts'
import { recordFeedback } from '#tasks/email/rules/reports/record-feedback.ts'
import type { Report } from '#tasks/email/rules/reports/report.ts'
import { storeOperatorMail } from './operator.ts'
import type { Purpose, UnsubscribeTarget } from './recipient.ts'
import { RefusalError } from './refusal.ts'

export interface Mail {
  purpose: Exclude<Purpose, { kind: 'route' | 'domain_report' }>
  /** Content of the email. For a large email, only its first bytes. */
  bytes: Buffer
  remoteAddress: string
  report(): Promise<Report>
}

/** Processes an email. When the promise resolves, the effect is committed. Repeating the call has no further effect. */
export async function processMail(db: DatabasePool, mail: Mail, secret: string): Promise<inbound.Kind | 'operator'> {
  const { purpose, bytes, remoteAddress } = mail
  const report = purpose.kind === 'unsubscribe' ? null : await mail.report()
  return await db.transaction(async (tx) => {
    if (purpose.kind === 'operator' && report?.kind !== 'feedback') {
      await storeOperatorMail(tx, purpose, bytes, remoteAddress)
      return 'operator'
    }
    const { kind, message, detail } = await act(tx, purpose, report, secret)
    const about = { org_id: message?.org_id ?? null, message_id: message?.id ?? null }
    await inbound.insert(tx, { id: newId(), kind, ...about, remote_address: remoteAddress, detail })
    return kind
  })
}

interface InboundOutcome {
  kind: inbound.Kind
  message: UnsubscribeTarget | null
  detail: string | null
}

async function act(tx: Db, purpose: Mail['purpose'], report: Report, secret: string): Promise<InboundOutcome> {
  if (purpose.kind === 'feedback' || purpose.kind === 'operator') {
    if (report?.kind !== 'feedback')
      throw new RefusalError(554, 'This address accepts only feedback reports (RFC 5965)')
    return await recordFeedback(tx, report, secret)
  }
  if (purpose.kind === 'unsubscribe') {
    const recipient = await contacts.findRecipient(tx, purpose.message.id)
    if (recipient) await unsubscribeRecipient(tx, recipient, 'mail')
    return { kind: 'unsubscribe', message: purpose.message, detail: null }
  }
  const { message } = purpose
  // The email is a vacation notice or a challenge, so it contains no information about delivery.
  if (report?.kind !== 'delivery') return { kind: 'reply', message, detail: null }
  const detail = [report.action, report.status, report.diagnostic].filter(Boolean).join(' ')
  if (report.action !== 'failed') return { kind: 'report', message, detail }
  await recordBounce(tx, message, report)
  return { kind: 'bounce', message, detail }
}
