import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'
import { listHostAndParents } from './safe-browsing/hosts.ts'

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

export type Listing = z.infer<typeof table.Row>

/** Postgres channel with the IDs of organisations whose listings have changed. */
export const listingsChannel = 'trust_listings'

export type Policies = ReadonlyMap<string, Listing['policy']>

/**
 * Returns the policy of each host: the policy of the nearest listed host, which is the host itself or a parent. `null`
 * if none is listed.
 */
export const findNearestPolicies = (known: Policies, hosts: readonly string[]): (Listing['policy'] | null)[] =>
  hosts.map(
    (host) =>
      listHostAndParents(host)
        .map((name) => known.get(name))
        .find((policy) => policy !== undefined) ?? null,
  )

/** Returns an organisation’s policy for each host, in the same way as `findNearestPolicies`. */
export async function listNearestPolicies(
  db: Db,
  orgId: string,
  hosts: readonly string[],
): Promise<(Listing['policy'] | null)[]> {
  const names = [...new Set(hosts.flatMap(listHostAndParents))]
  const rows = await db.any(sql.prepared('trust_listings.policies_of', Policy)`
    select hostname, policy from trust.listings
    where org_id = ${orgId} and hostname = any (${sql.array(names, 'text')})`)
  return findNearestPolicies(policiesIn(rows), hosts)
}

/** Returns all policies of an organisation. `null` if it has more than `most` policies. */
export async function listPolicies(db: Db, orgId: string, most: number): Promise<Policies | null> {
  const rows = await db.any(sql.type(Policy)`
    select hostname, policy from trust.listings where org_id = ${orgId} limit ${most + 1}`)
  return rows.length > most ? null : policiesIn(rows)
}

const Policy = table.Row.pick({ hostname: true, policy: true })

const policiesIn = (rows: readonly z.infer<typeof Policy>[]): Policies =>
  new Map(rows.map(({ hostname, policy }) => [hostname, policy]))

const Told = z.object({ pg_notify: z.unknown() })

const tell = (tx: Db, orgId: string) => tx.query(sql.type(Told)`select pg_notify(${listingsChannel}, ${orgId})`)

/**
 * Sets an organisation’s policy for a host and its subdomains, in a transaction. When the transaction commits, all
 * processes that cache the listings are notified.
 */
export async function put(tx: Db, row: Pick<Listing, 'org_id' | 'hostname' | 'policy' | 'note'>): Promise<Listing> {
  await tell(tx, row.org_id)
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ ...row, id: newId() })}
    on conflict (org_id, hostname) do update set policy = excluded.policy, note = excluded.note
    returning ${table.columns()}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Listing[]> {
  const older = before === undefined ? sql.fragment`` : sql.fragment`and id < ${before}`
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from trust.listings where org_id = ${orgId} ${older} order by id desc limit ${limit}`)
}

/** Deletes a listing, in a transaction like `put`. Returns false if the listing does not exist. */
export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  await tell(tx, orgId)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from trust.listings where org_id = ${orgId} and id = ${id}`)
  return rowCount > 0
}
