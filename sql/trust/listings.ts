import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { hostsUpTo } from './safe-browsing/hosts.ts'

/** Hosts that organisations themselves allow or deny. */
export const table = defineTable(
  'trust',
  'listings',
  z.object({
    id: Id,
    org_id: Id,
    hostname: z.string(),
    policy: z.enum(['allow', 'deny']),
    note: z.string().nullable(),
    created_at: z.date(),
  }),
)

/** A host that an organisation allows or denies. */
export type Listing = z.infer<typeof table.Row>

/**
 * What an organisation says of each of some hosts: the nearest that it names counts, the host itself or one above it; null where it
 * names none.
 */
export async function policiesOf(
  db: Db,
  orgId: string,
  hosts: readonly string[],
): Promise<(Listing['policy'] | null)[]> {
  const nearest = hosts.map(hostsUpTo)
  const rows = await db.any(sql.prepared(
    'trust_listings.policies_of',
    table.Row.pick({ hostname: true, policy: true }),
  )`
    select hostname, policy from trust.listings
    where org_id = ${orgId} and hostname = any (${sql.array([...new Set(nearest.flat())], 'text')})`)
  const known = new Map(rows.map(({ hostname, policy }) => [hostname, policy]))
  return nearest.map((names) => names.map((name) => known.get(name)).find((policy) => policy !== undefined) ?? null)
}

/** Has an organisation allow or deny a host and all below it. */
export async function put(db: Db, row: Pick<Listing, 'org_id' | 'hostname' | 'policy' | 'note'>): Promise<Listing> {
  return await db.one(sql.type(table.Row)`
    ${table.insert({ ...row, id: newId() })}
    on conflict (org_id, hostname) do update set policy = excluded.policy, note = excluded.note
    returning ${table.columns()}`)
}

/** Listings of an organisation by falling id. */
export async function list(
  db: Db,
  orgId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly Listing[]> {
  const older = before === undefined ? sql.fragment`` : sql.fragment`and id < ${before}`
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from trust.listings where org_id = ${orgId} ${older} order by id desc limit ${limit}`)
}

/** Takes a listing back; false when there is none. */
export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from trust.listings where org_id = ${orgId} and id = ${id}`)
  return rowCount > 0
}
