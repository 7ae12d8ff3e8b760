import { toStorableText } from '#lib/outside-text.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as dmarc from '#sql/email/dmarc.ts'
import { findByReportMailbox } from '#sql/email/domains.ts'
import * as tls from '#sql/email/tls-reports.ts'
import { type ReportedDomain, recordReport } from '#tasks/email/rules/aggregate/record-report.ts'
import { ReportFaultError } from '#tasks/email/rules/aggregate/report.ts'
import type { AggregateReader } from './aggregate-reader.ts'
import { RefusalError } from './refusal.ts'

/** Maximum number of reports per domain and day. Large domains receive about a hundred. */
const mostPerDay = 1_000

/** Maximum number of rows of DMARC reports per domain and day. Anyone can send a report, and the rows are kept for a year. */
const mostRowsPerDay = 100_000

/** Returns the domain of a report address. Throws if it does not exist, or has received too many reports. */
export async function findReportedDomain(db: Db, token: string): Promise<ReportedDomain> {
  const domain = await findByReportMailbox(db, token)
  if (!domain) throw new RefusalError(550, 'No such mailbox here')
  const isFull =
    (await tls.countToday(db, domain.id)) >= mostPerDay || (await dmarc.hasRowsToday(db, domain.id, mostRowsPerDay))
  if (isFull) throw new RefusalError(452, 'Too many reports for this domain, try again later')
  return domain
}

export interface ReportMail {
  domain: ReportedDomain
  sender: string
  bytes: Buffer
}

/** Stores the report of an email. When the promise resolves, the report is committed. A repeated report has no effect. */
export async function storeReport(
  db: DatabasePool,
  reader: AggregateReader,
  { domain, sender, bytes }: ReportMail,
): Promise<void> {
  const report = await reader.read(bytes, domain.org_id)
  try {
    await db.transaction((tx) => recordReport(tx, domain, toStorableText(sender, 320), report))
  } catch (error) {
    throw error instanceof ReportFaultError ? new RefusalError(554, error.message) : error
  }
}
