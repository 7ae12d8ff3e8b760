import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const State = z.enum(['blocked', 'allowed'])

/** Ranges of phone numbers with a decision. Without a decision, a range is watched. */
export const table = defineTable(
  'verify',
  'prefixes',
  z.object({
    id: Id,
    org_id: Id,
    prefix: z.string(),
    state: State,
    source: z.enum(['automatic', 'manual']),
    starts: z.number(),
    approved: z.number(),
    created_at: z.date(),
    ends_at: z.date().nullable(),
  }),
  { retention: days(30, 'ends_at') },
)

export type Prefix = z.infer<typeof table.Row>

const columns = table.columns()

const inForce = sql.fragment`(ends_at is null or ends_at > clock_timestamp())`

/** Returns the decision of the longest prefix of a number that is in force. */
export async function findFor(db: Db, orgId: string, phone: string): Promise<Prefix | null> {
  const all = Array.from({ length: phone.length - 1 }, (_, i) => phone.slice(0, i + 2))
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from verify.prefixes
    where org_id = ${orgId} and prefix = any(${sql.array(all, 'text')}) and ${inForce}
    order by length(prefix) desc limit 1`)
}

export type Decision = Pick<Prefix, 'org_id' | 'prefix' | 'state' | 'source' | 'starts' | 'approved'> & {
  hours: number | null
}

/** Stores a decision. Replaces the earlier decision of the same prefix. */
export async function decide(
  tx: Db,
  { org_id, prefix, state, source, starts, approved, hours }: Decision,
): Promise<Prefix> {
  const ends = hours === null ? sql.fragment`null` : sql.fragment`clock_timestamp() + ${hours} * interval '1 hour'`
  return await tx.one(sql.type(table.Row)`
    insert into verify.prefixes (id, org_id, prefix, state, source, starts, approved, ends_at)
    values (${newId()}, ${org_id}, ${prefix}, ${state}, ${source}, ${starts}, ${approved}, ${ends})
    on conflict (org_id, prefix) do update set id = excluded.id, state = excluded.state, source = excluded.source,
      starts = excluded.starts, approved = excluded.approved, ends_at = excluded.ends_at, created_at = now()
    returning ${columns}`)
}

/** Returns false if the prefix has no decision. */
export async function remove(tx: Db, orgId: string, prefix: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from verify.prefixes where org_id = ${orgId} and prefix = ${prefix}`)
  return rowCount === 1
}

export const filters = { state: table.equals('state') }

/** Lists the decisions in force. */
export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Prefix[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from verify.prefixes
    where org_id = ${orgId} and ${where} and ${inForce} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
