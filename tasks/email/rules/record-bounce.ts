import type { Db } from '#sql/db.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import { strike } from '#sql/email/delivery/settle.ts'
import type { ReturnedMessage } from '#sql/email/inbound.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { getReplyClass } from './replies/classes.ts'
import { classifyReport } from './replies/classify.ts'

export interface BounceReport {
  /** Enhanced status code (RFC 3463). Null if it cannot be read. */
  status: string | null
  diagnostic: string | null
}

/** Records a bounce. A repeated report has no further effect. */
export async function recordBounce(tx: Db, message: ReturnedMessage, report: BounceReport): Promise<void> {
  const { id, org_id, to_email } = message
  const { status, diagnostic } = report
  const replyClass = classifyReport(report, message)
  const { hard, suppress } = getReplyClass(replyClass)
  const reason =
    diagnostic ?? `The receiving server reported ${status ?? 'a failure'} after it had accepted the message.`
  const always = suppress === 'always' ? ('bounce' as const) : undefined
  const outcome = { messageId: id, status: 'bounced' as const, replyClass, reason, hard, suppress: always }
  const { changed } = await recordOutcomes(tx, [outcome])
  if (changed.length === 0 || suppress === undefined || suppress === 'always') return
  const [counted] = await strike(tx, [{ org_id, email: to_email, reply_class: replyClass }], suppress.withinMs)
  if ((counted?.strikes ?? 0) < suppress.strikes) return
  await suppressions.insertMany(tx, [{ org_id, email: to_email, reason: 'bounce', message_id: id, detail: reason }])
}
