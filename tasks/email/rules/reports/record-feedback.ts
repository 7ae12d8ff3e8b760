import { outsideText } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import type * as inbound from '#sql/email/inbound.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { recordOutcomes } from '../record-outcomes.ts'
import { unsubscribe } from '../unsubscribe.ts'
import { attribute } from './attribute.ts'
import type { FeedbackReport } from './report.ts'

/** Feedback types by which a recipient has complained (RFC 5965 §7.3); `not-spam` and others are none. */
const complaints = new Set(['abuse', 'fraud'])

/** What a feedback report came to. */
export interface FeedbackOutcome {
  kind: Extract<inbound.Kind, 'complaint' | 'feedback'>
  message: inbound.ReturnedMessage | null
  detail: string
}

/** Records what a mailbox provider passes on of its user's opinion; what is told twice does nothing more. */
export async function recordFeedback(tx: Db, report: FeedbackReport, secret: string): Promise<FeedbackOutcome> {
  const message = await attribute(tx, report, secret)
  const isComplaint = message !== null && complaints.has(report.type)
  const detail = message ? report.type : `${report.type}, for an unknown message`
  if (!isComplaint) return { kind: 'feedback', message, detail: outsideText(detail, 200) }
  const reason = `The recipient's mailbox provider reported ${report.type}.`
  await recordOutcomes(tx, [{ messageId: message.id, status: 'complained', reason, suppress: 'complaint' }])
  const { id: messageId, org_id: orgId, to_email: email } = message
  // A simulated receiver can be written to again.
  if (!isSimulated(email)) await unsubscribe(tx, { orgId, address: email, source: 'complaint', messageId })
  return { kind: 'complaint', message, detail }
}
