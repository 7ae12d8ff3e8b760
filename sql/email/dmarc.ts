import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const Disposition = z.enum(['none', 'quarantine', 'reject'])

export const reportTable = defineTable(
  'email',
  'dmarc_reports',
  z.object({
    id: Id,
    org_id: Id,
    domain_id: Id,
    reporter: z.string(),
    reporter_email: z.string().nullable(),
    report_id: z.string(),
    sender: z.string(),
    begins_at: z.date(),
    ends_at: z.date(),
    policy_domain: z.string(),
    policy: z.string().nullable(),
    subdomain_policy: z.string().nullable(),
    percent: z.number().nullable(),
    messages: z.number(),
    aligned: z.number(),
    sources: z.number(),
    created_at: z.date(),
  }),
  { retention: days(365, 'created_at', { batch: 200 }) },
)

export type DmarcReportRow = z.infer<typeof reportTable.Row>

/** Rows are deleted with their report. */
export const rowTable = defineTable(
  'email',
  'dmarc_rows',
  z.object({
    id: Id,
    org_id: Id,
    domain_id: Id,
    report_id: Id,
    day: z.string(),
    source_ip: z.string(),
    count: z.number(),
    disposition: Disposition,
    dkim_aligned: z.boolean(),
    spf_aligned: z.boolean(),
    header_from: z.string().nullable(),
    envelope_from: z.string().nullable(),
    override: z.string().nullable(),
    spf_domain: z.string().nullable(),
    spf_result: z.string().nullable(),
    dkim_domain: z.string().nullable(),
    dkim_selector: z.string().nullable(),
    dkim_result: z.string().nullable(),
  }),
)

export type DmarcRow = z.infer<typeof rowTable.Row>

/** Returns false if the report is already stored. */
export async function insert(
  tx: Db,
  report: Omit<DmarcReportRow, 'created_at' | 'begins_at' | 'ends_at'> & { begins_at: string; ends_at: string },
  rows: readonly DmarcRow[],
): Promise<boolean> {
  const inserted = await tx.query(sql.typeAlias('void')`
    ${reportTable.insertMany([report])} on conflict (domain_id, reporter, report_id) do nothing`)
  if (inserted.rowCount === 0) return false
  if (rows.length > 0) await tx.query(sql.typeAlias('void')`${rowTable.insertMany(rows)}`)
  return true
}

export const reportFilters = {
  reporter: reportTable.equals('reporter'),
}

export async function listReports(
  db: Db,
  domainId: string,
  { where, before, limit }: Page<typeof reportFilters>,
): Promise<readonly DmarcReportRow[]> {
  return await db.any(sql.type(reportTable.Row)`
    select ${reportTable.columns()} from email.dmarc_reports
    where domain_id = ${domainId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export const rowFilters = {
  report_id: rowTable.equals('report_id'),
  source_ip: rowTable.equals('source_ip'),
  disposition: rowTable.equals('disposition'),
  dkim_aligned: (value: boolean) => sql.fragment`dkim_aligned = ${value}`,
  spf_aligned: (value: boolean) => sql.fragment`spf_aligned = ${value}`,
  since: (day: string) => sql.fragment`day >= ${day}::date`,
  until: (day: string) => sql.fragment`day <= ${day}::date`,
}

const Selected = rowTable.Row

export async function listRows(
  db: Db,
  domainId: string,
  { where, before, limit }: Page<typeof rowFilters>,
): Promise<readonly DmarcRow[]> {
  return await db.any(sql.type(Selected)`
    select ${rowTable.columns()} from (
      select id, org_id, domain_id, report_id, day::text as day, source_ip, count, disposition, dkim_aligned,
        spf_aligned, header_from, envelope_from, override, spf_domain, spf_result, dkim_domain, dkim_selector, dkim_result
      from email.dmarc_rows where domain_id = ${domainId} and ${where} and ${isOlder(before)}
      order by id desc limit ${limit}) as found`)
}

const counts = {
  messages: z.number(),
  aligned: z.number(),
  dkim_aligned: z.number(),
  spf_aligned: z.number(),
  quarantined: z.number(),
  rejected: z.number(),
}

const sums = sql.fragment`
  coalesce(sum(r.count), 0)::float8 as messages,
  coalesce(sum(r.count) filter (where r.dkim_aligned or r.spf_aligned), 0)::float8 as aligned,
  coalesce(sum(r.count) filter (where r.dkim_aligned), 0)::float8 as dkim_aligned,
  coalesce(sum(r.count) filter (where r.spf_aligned), 0)::float8 as spf_aligned,
  coalesce(sum(r.count) filter (where r.disposition = 'quarantine'), 0)::float8 as quarantined,
  coalesce(sum(r.count) filter (where r.disposition = 'reject'), 0)::float8 as rejected`

const Day = z.object({ day: z.string(), ...counts })
const Source = z.object({ source_ip: z.string(), reporters: z.number(), ...counts })
const Reporter = z.object({ reporter: z.string(), reports: z.number(), ...counts })

export interface Span {
  domainId: string
  /** `YYYY-MM-DD`, both included. */
  since: string
  until: string
}

const within = ({ domainId, since, until }: Span) =>
  sql.fragment`r.domain_id = ${domainId} and r.day between ${since}::date and ${until}::date`

/** Includes days without reports. */
export async function countByDay(db: Db, span: Span): Promise<readonly z.infer<typeof Day>[]> {
  return await db.any(sql.type(Day)`
    select g.day::date::text as day, ${sums}
    from generate_series(${span.since}::date, ${span.until}::date, interval '1 day') as g (day)
    left join email.dmarc_rows as r on ${within(span)} and r.day = g.day::date group by g.day order by g.day`)
}

/** Sums of groups that are each summed with `sums`. */
const total = sql.fragment`
  sum(g.messages) as messages, sum(g.aligned) as aligned, sum(g.dkim_aligned) as dkim_aligned,
  sum(g.spf_aligned) as spf_aligned, sum(g.quarantined) as quarantined, sum(g.rejected) as rejected`

/** Groups by source and reporter first: counting different reporters of each source would sort all records. */
export async function countBySource(db: Db, span: Span, limit: number): Promise<readonly z.infer<typeof Source>[]> {
  return await db.any(sql.type(Source)`
    select g.source_ip, count(*)::integer as reporters, ${total}
    from (
      select r.source_ip, p.reporter, ${sums}
      from email.dmarc_rows as r join email.dmarc_reports as p on p.id = r.report_id
      where ${within(span)} group by r.source_ip, p.reporter) as g
    group by g.source_ip order by messages desc, g.source_ip limit ${limit}`)
}

/** Groups by report first, so that reports are joined and counted once. */
export async function countByReporter(db: Db, span: Span, limit: number): Promise<readonly z.infer<typeof Reporter>[]> {
  return await db.any(sql.type(Reporter)`
    select p.reporter, count(*)::integer as reports, ${total}
    from (select r.report_id, ${sums} from email.dmarc_rows as r where ${within(span)} group by r.report_id) as g
      join email.dmarc_reports as p on p.id = g.report_id
    group by p.reporter order by messages desc, p.reporter limit ${limit}`)
}

/** Returns which of the sources had aligned messages in earlier reports of the last 60 days. */
export async function listKnownSources(
  tx: Db,
  domainId: string,
  reportId: string,
  sources: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await tx.anyFirst(sql.type(z.object({ source_ip: z.string() }))`
    select distinct source_ip from email.dmarc_rows
    where domain_id = ${domainId} and report_id <> ${reportId} and day > now()::date - 60
      and source_ip = any(${sql.array([...sources], 'text')}) and (dkim_aligned or spf_aligned) and count > 0`)
  return new Set(found)
}

/** Returns true if a domain received at least `count` rows within a day. */
export async function hasRowsToday(db: Db, domainId: string, count: number): Promise<boolean> {
  return await db.exists(sql.typeAlias('void')`
    select from email.dmarc_reports as p join email.dmarc_rows as r on r.report_id = p.id
    where p.domain_id = ${domainId} and p.created_at > now() - interval '1 day' offset ${count - 1} limit 1`)
}

/** Returns true for the first warning of a domain on this day (UTC). */
export async function takeWarning(tx: Db, domainId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update email.domains set dmarc_warned_on = (now() at time zone 'utc')::date
    where id = ${domainId} and dmarc_warned_on is distinct from (now() at time zone 'utc')::date`)
  return rowCount === 1
}
