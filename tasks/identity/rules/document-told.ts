import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'
import { hasExpired } from './mrz/dates.ts'

/** Result of a reading for users who must not see the data. */
interface DocumentTold {
  status: readings.Reading['status']
  reason: readings.UnreadReason | null
  format: readings.DocumentFacts['format'] | null
  failed_checks: readings.DocumentCheck['check'][]
  expired: boolean | null
  /** Number of other subjects of the organisation with the same document. */
  shared_with: number
}

export async function summariseReading(db: Db, reading: readings.Reading, subject: string): Promise<DocumentTold> {
  const { status, reason, facts } = reading
  return {
    status,
    reason,
    format: facts?.format ?? null,
    failed_checks: listFailedChecks(reading),
    expired: isExpired(reading),
    shared_with: (await readings.listSharers(db, reading, subject)).length,
  }
}

export const listFailedChecks = ({ checks }: Pick<readings.Reading, 'checks'>): readings.DocumentCheck['check'][] =>
  (checks ?? []).filter(({ passed }) => !passed).map(({ check }) => check)

/** True if the document has expired. `null` if its expiry could not be read. */
export function isExpired({ facts }: Pick<readings.Reading, 'facts'>, now = new Date()): boolean | null {
  const day = facts?.expiry_date ?? null
  return day === null ? null : hasExpired(day, now)
}
