import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'
import { isOver } from './mrz/dates.ts'

/** What is told of a reading to who may not see the facts: whether they hold. */
interface DocumentTold {
  status: readings.Reading['status']
  reason: readings.UnreadReason | null
  format: readings.DocumentFacts['format'] | null
  failed_checks: readings.DocumentCheck['check'][]
  expired: boolean | null
  /** Other subjects of the organisation who have handed in the same document. */
  shared_with: number
}

/** Whether the facts of a reading hold, as of now. */
export async function documentTold(db: Db, reading: readings.Reading, subject: string): Promise<DocumentTold> {
  const { status, reason, facts } = reading
  return {
    status,
    reason,
    format: facts?.format ?? null,
    failed_checks: failedOf(reading),
    expired: isExpired(reading),
    shared_with: (await readings.sharers(db, reading, subject)).length,
  }
}

/** The checks that do not hold. */
export const failedOf = ({ checks }: Pick<readings.Reading, 'checks'>): readings.DocumentCheck['check'][] =>
  (checks ?? []).filter(({ passed }) => !passed).map(({ check }) => check)

/** Whether the document has ended; null where that was not read. */
export function isExpired({ facts }: Pick<readings.Reading, 'facts'>, now = new Date()): boolean | null {
  const day = facts?.expiry_date ?? null
  return day === null ? null : isOver(day, now)
}
