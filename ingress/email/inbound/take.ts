import { newId } from '#lib/ids.ts'
import { outsideText } from '#lib/outside-text.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as inbound from '#sql/email/inbound.ts'
import { recordBounce } from '#tasks/email/rules/record-bounce.ts'
import { recordOutcomes } from '#tasks/email/rules/record-outcomes.ts'
import { unsubscribe } from '#tasks/email/rules/unsubscribe.ts'
import { attribute } from './attribution.ts'
import { keepForOperator } from './operator.ts'
import type { Leaver, Purpose } from './recipient.ts'
import { Refusal } from './refusal.ts'
import type { FeedbackReport, Report } from './report.ts'
import type { ReportReader } from './report-reader.ts'

/** A mail, and where it came from. */
export interface Mail {
  purpose: Purpose
  /** Its beginning, if it is large. */
  bytes: Buffer
  remoteAddress: string
}

/** Does what a mail says; when this resolves it is done and committed, and told twice it does nothing more. */
export async function take(
  db: DatabasePool,
  reports: ReportReader,
  mail: Mail,
  secret: string,
): Promise<inbound.Kind | 'operator'> {
  const { purpose, bytes, remoteAddress } = mail
  const report = purpose.kind === 'unsubscribe' ? null : await reports.read(bytes)
  return await db.transaction(async (tx) => {
    if (purpose.kind === 'operator' && report?.kind !== 'feedback') {
      await keepForOperator(tx, purpose, bytes, remoteAddress)
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
  message: Leaver | null
  detail: string | null
}

async function act(tx: Db, purpose: Purpose, report: Report, secret: string): Promise<InboundOutcome> {
  if (purpose.kind === 'feedback' || purpose.kind === 'operator') {
    if (report?.kind !== 'feedback')
      throw new Refusal(554, 'Only feedback reports (RFC 5965) are taken for this address')
    return await recordFeedback(tx, report, secret)
  }
  if (purpose.kind === 'unsubscribe') {
    await leave(tx, purpose.message, 'mail')
    return { kind: 'unsubscribe', message: purpose.message, detail: null }
  }
  const { message } = purpose
  // A vacation notice or a challenge: it says nothing of the delivery.
  if (report?.kind !== 'delivery') return { kind: 'reply', message, detail: null }
  const detail = [report.action, report.status, report.diagnostic].filter(Boolean).join(' ')
  if (report.action !== 'failed') return { kind: 'report', message, detail }
  await recordBounce(tx, message, report)
  return { kind: 'bounce', message, detail }
}

/** Feedback types by which a recipient has complained (RFC 5965 §7.3); `not-spam` and others are none. */
const complaints = new Set(['abuse', 'fraud'])

async function recordFeedback(tx: Db, report: FeedbackReport, secret: string): Promise<InboundOutcome> {
  const message = await attribute(tx, report, secret)
  const isComplaint = message !== null && complaints.has(report.type)
  const detail = message ? report.type : `${report.type}, of no message that is known here`
  if (!isComplaint) return { kind: 'feedback', message, detail: outsideText(detail, 200) }
  const reason = `The recipient's mailbox provider reported ${report.type}.`
  await recordOutcomes(tx, [{ messageId: message.id, status: 'complained', reason, suppress: 'complaint' }])
  await leave(tx, message, 'complaint')
  return { kind: 'complaint', message, detail }
}

/** Unsubscribes the recipient of a message. */
const leave = (tx: Db, { id, org_id, to_email }: Leaver, source: 'mail' | 'complaint') =>
  unsubscribe(tx, { orgId: org_id, email: to_email, source, messageId: id })
