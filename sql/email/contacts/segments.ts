import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import type { Part } from '../../filters.ts'
import { lockOrgLimit } from '../../org-limits.ts'
import { defineTable } from '../../table.ts'
import { Contact, ContactStatus, table as contacts, tableFor } from '../contacts.ts'
import { countWithin } from './count-within.ts'
import { Match, matchesSegment, Segment } from './segment-conditions.ts'
import { Reason } from './suppressions.ts'

export const table = defineTable(
  'email',
  'segments',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    match: Match,
    conditions: Segment.shape.conditions,
    groups: Segment.shape.groups,
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type NamedSegment = z.infer<typeof table.Row>

type Changes = Pick<NamedSegment, 'name' | 'match' | 'conditions' | 'groups'>

const columns = table.columns()

/** Returns null if the organisation has `most` segments. */
export async function insert(
  tx: Db,
  segment: Changes & Pick<NamedSegment, 'id' | 'org_id'>,
  most: number,
): Promise<NamedSegment | null> {
  await lockOrgLimit(tx, segment.org_id, 'email.segments')
  const count = await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from email.segments where org_id = ${segment.org_id}`)
  if (count >= most) return null
  return await tx.one(sql.type(table.Row)`${table.insert(segment)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<NamedSegment | null> {
  return await db.maybeOne(
    sql.type(table.Row)`select ${columns} from email.segments where org_id = ${orgId} and id = ${id}`,
  )
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly NamedSegment[]> {
  const older = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(table.Row)`
    select ${columns} from email.segments where org_id = ${orgId} ${older} order by id desc limit ${limit}`)
}

/** Undefined fields do not change. Returns null if the segment does not exist. */
export async function update(
  db: Db,
  orgId: string,
  id: string,
  changes: { [Name in keyof Changes]?: Changes[Name] | undefined },
): Promise<NamedSegment | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update email.segments set ${table.set({ ...changes, updated_at: sql.fragment`now()` })}
    where org_id = ${orgId} and id = ${id} returning ${columns}`)
}

/** Returns false if the segment does not exist, or if a scheduled campaign uses it. */
export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from email.segments where org_id = ${orgId} and id = ${id} and not exists (
      select from email.campaigns where org_id = ${orgId} and segment_id = ${id}
        and started_at is null and status in ('draft', 'scheduled', 'paused'))`)
  return rowCount > 0
}

const Counted = z.object({ status: ContactStatus, count: z.number() })

/** Returns null if counting takes too long. */
export async function count(
  db: DatabasePool,
  orgId: string,
  segment: Segment,
  sandbox: boolean,
): Promise<Partial<Record<ContactStatus, number>> | null> {
  const found = await countWithin(db, (tx) =>
    tx.any(sql.type(Counted)`
      select status, count(*) from ${tableFor(sandbox)} as c
      where org_id = ${orgId} and ${matchesSegment(segment)} group by status`),
  )
  return found && Object.fromEntries(found.map(({ status, count }) => [status, count]))
}

const Reached = z.object({ status: ContactStatus, reason: Reason.nullable(), count: z.number() })

/** Number of contacts that a campaign would reach, and of those that it would not reach, by reason. */
export interface Reach {
  reached: number
  blocked: Readonly<Record<string, number>>
}

/** Counts the contacts of a segment, or all contacts, by what would happen to them. Returns null if that takes too long. */
export async function countReach(
  db: DatabasePool,
  orgId: string,
  segment: Segment | null,
  sandbox: boolean,
): Promise<Reach | null> {
  const found = await countWithin(db, (tx) =>
    tx.any(sql.type(Reached)`
      select c.status, s.reason, count(*) from ${tableFor(sandbox)} as c
      left join lateral (
        select min(reason) as reason from email.suppressions where org_id = ${orgId} and email = c.email) as s on true
      where c.org_id = ${orgId} and ${matchesSegment(segment)} group by c.status, s.reason`),
  )
  if (!found) return null
  let reached = 0
  const blocked: Record<string, number> = {}
  for (const { status, reason, count } of found) {
    const why = status === 'confirmed' ? reason : status
    if (why === null) reached += count
    else blocked[why] = (blocked[why] ?? 0) + count
  }
  return { reached, blocked }
}

/** Returns null if the search takes too long. */
export async function listSome(
  db: DatabasePool,
  orgId: string,
  segment: Segment,
  limit: number,
  sandbox: boolean,
): Promise<readonly Contact[] | null> {
  return await countWithin(db, (tx) =>
    tx.any(sql.type(Contact)`
      select ${contacts.columns('c')} from ${tableFor(sandbox)} as c
      where org_id = ${orgId} and status = 'confirmed' and ${matchesSegment(segment)} order by id limit ${limit}`),
  )
}
