import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Subject of a count: one address, its subnet, or the whole site. */
export const SubjectKind = z.enum(['address', 'subnet', 'site'])

export type SubjectKind = z.infer<typeof SubjectKind>

/** Time in seconds after which a count has fallen to 1/e. */
const meanLife = { requests: 60, failures: 600, usual: 3600 }

export const table = defineTable(
  'guard',
  'visitors',
  z.object({
    site_id: z.guid(),
    kind: SubjectKind,
    subject: z.string(),
    requests: z.number(),
    failures: z.number(),
    usual: z.number(),
    noted_at: z.date(),
  }),
  { retention: hours(24, 'noted_at') },
)

export interface Subject {
  siteId: string
  kind: SubjectKind
  subject: string
}

export interface CountIncrement extends Subject {
  requests: number
  failures: number
}

/** Current counts: requests of the last minute, wrong answers of the last ten minutes, requests of the last hour. */
export const Traffic = table.Row.pick({ kind: true, requests: true, failures: true, usual: true })

export type Traffic = z.infer<typeof Traffic>

const now = (column: keyof typeof meanLife) =>
  sql.fragment`guard.decayed(v.${sql.identifier([column])}, extract(epoch from now() - v.noted_at)::float8, ${meanLife[column]})`

/** Adds to counts in one statement. Subjects are locked in a fixed order. */
export async function addCounts(db: Db, notes: readonly CountIncrement[]): Promise<void> {
  if (notes.length === 0) return
  await db.query(sql.typeAlias('void')`
    insert into guard.visitors as v (site_id, kind, subject, requests, failures, usual)
    select "siteId", kind, subject, sum(requests), sum(failures), sum(requests)
    from json_to_recordset(${JSON.stringify(notes)}::json)
      as n ("siteId" uuid, kind text, subject text, requests float8, failures float8)
    group by "siteId", kind, subject order by "siteId", kind, subject
    on conflict (site_id, kind, subject) do update
    set requests = ${now('requests')} + excluded.requests, failures = ${now('failures')} + excluded.failures,
      usual = ${now('usual')} + excluded.usual, noted_at = greatest(v.noted_at, now())`)
}

const Kept = Traffic.extend({ age: z.number() })

/** Returns a count after a number of seconds of decay. Same calculation as `guard.decayed`. */
const left = (count: number, seconds: number, life: number): number =>
  count < 0.001 || seconds > 20 * life ? 0 : count * Math.exp(-Math.max(seconds, 0) / life)

/**
 * Returns the counts of subjects of one site. Omits missing subjects. This runs for each challenge. The decay is
 * calculated here, which saves most of the planning time. The statement is not prepared, because Postgres would keep a
 * plan made with an empty table.
 */
export async function readCounts(db: Db, siteId: string, subjects: readonly Subject[]): Promise<readonly Traffic[]> {
  const kinds = sql.array([...new Set(subjects.map(({ kind }) => kind))], 'text')
  const names = sql.array([...new Set(subjects.map(({ subject }) => subject))], 'text')
  const rows = await db.any(sql.type(Kept)`
    select kind, requests, failures, usual, extract(epoch from now() - noted_at)::float8 as age
    from guard.visitors where site_id = ${siteId}::uuid and kind = any(${kinds}) and subject = any(${names})`)
  return rows.map(({ kind, requests, failures, usual, age }) => ({
    kind,
    requests: left(requests, age, meanLife.requests),
    failures: left(failures, age, meanLife.failures),
    usual: left(usual, age, meanLife.usual),
  }))
}
