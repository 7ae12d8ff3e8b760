import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const TlsPolicy = z.object({
  type: z.string().describe('For example, `sts`, `tlsa` or `no-policy-found`'),
  domain: z.string(),
  mx_hosts: z.array(z.string()),
  successes: z.number(),
  failures: z.number(),
  details: z.array(
    z.object({
      result_type: z.string().describe('For example, `certificate-expired` or `starttls-not-supported`'),
      count: z.number(),
      sending_ip: z.string().nullable(),
      receiving_host: z.string().nullable(),
      receiving_ip: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
})

export const table = defineTable(
  'email',
  'tls_reports',
  z.object({
    id: Id,
    org_id: Id,
    domain_id: Id,
    reporter: z.string(),
    contact: z.string().nullable(),
    report_id: z.string(),
    sender: z.string(),
    begins_at: z.date(),
    ends_at: z.date(),
    successes: z.number(),
    failures: z.number(),
    policies: z.array(TlsPolicy),
    created_at: z.date(),
  }),
  { retention: days(365, 'created_at') },
)

export type TlsReportRow = z.infer<typeof table.Row>

/** Returns false if the report is already stored. */
export async function insert(
  tx: Db,
  report: Omit<TlsReportRow, 'created_at' | 'begins_at' | 'ends_at'> & { begins_at: string; ends_at: string },
): Promise<boolean> {
  const inserted = await tx.query(sql.typeAlias('void')`
    ${table.insertMany([report])} on conflict (domain_id, reporter, report_id) do nothing`)
  return inserted.rowCount === 1
}

export const filters = {
  reporter: table.equals('reporter'),
}

export async function list(
  db: Db,
  domainId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly TlsReportRow[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.tls_reports
    where domain_id = ${domainId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

/** Returns the number of reports, also of DMARC, that a domain received within a day. */
export async function countToday(db: Db, domainId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select (select count(*) from email.tls_reports where domain_id = ${domainId} and created_at > now() - interval '1 day')
      + (select count(*) from email.dmarc_reports where domain_id = ${domainId} and created_at > now() - interval '1 day')
      as count`)
}
