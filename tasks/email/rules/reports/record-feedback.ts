import { toStorableText } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import type * as inbound from '#sql/email/inbound.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { unsubscribe } from '../consent/unsubscribe.ts'
import { recordOutcomes } from '../record-outcomes.ts'
import { findReportedMessage } from './attribute.ts'
import type { FeedbackReport } from './report.ts'

/** Feedback types that are complaints (RFC 5965 §7.3). `not-spam` and others are not. */
const complaints = new Set(['abuse', 'fraud'])

export interface FeedbackOutcome {
  kind: Extract<inbound.Kind, 'complaint' | 'feedback'>
  message: inbound.ReturnedMessage | null
  detail: string
}

/** Records a feedback report. A repeated report has no further effect. */
export async function recordFeedback(tx: Db, report: FeedbackReport, secret: string): Promise<FeedbackOutcome> {
  const message = await findReportedMessage(tx, report, secret)
  const isComplaint = message !== null && complaints.has(report.type)
  const detail = message ? report.type : `${report.type}, for an unknown message`
  if (!isComplaint) return { kind: 'feedback', message, detail: toStorableText(detail, 200) }
  const reason = `The recipient's mailbox provider reported ${report.type}.`
  await recordOutcomes(tx, [{ messageId: message.id, status: 'complained', reason, suppress: 'complaint' }])
  const { id: messageId, org_id: orgId, to_email: email } = message
  // Simulated recipients are not unsubscribed.
  if (!isSimulated(email)) await unsubscribe(tx, { orgId, address: email, source: 'complaint', messageId })
  return { kind: 'complaint', message, detail }
}
