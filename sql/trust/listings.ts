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

/** Postgres channel on which the id of an organisation is told whose listings have changed. */
export const listingsChannel = 'trust_listings'

/** What an organisation says of a host, by its name. */
export type Policies = ReadonlyMap<string, Listing['policy']>

/** What is said of each of some hosts: the nearest that is named counts, the host itself or one above it; null where none is. */
export const nearestPolicies = (known: Policies, hosts: readonly string[]): (Listing['policy'] | null)[] =>
  hosts.map(
    (host) =>
      hostsUpTo(host)
        .map((name) => known.get(name))
        .find((policy) => policy !== undefined) ?? null,
  )

/** What an organisation says of each of some hosts, as `nearestPolicies` does. */
export async function policiesOf(
  db: Db,
  orgId: string,
  hosts: readonly string[],
): Promise<(Listing['policy'] | null)[]> {
  const names = [...new Set(hosts.flatMap(hostsUpTo))]
  const rows = await db.any(sql.prepared('trust_listings.policies_of', Policy)`
    select hostname, policy from trust.listings
    where org_id = ${orgId} and hostname = any (${sql.array(names, 'text')})`)
  return nearestPolicies(policiesIn(rows), hosts)
}

/** All that an organisation says of hosts; null when these are more than `most`. */
export async function allPolicies(db: Db, orgId: string, most: number): Promise<Policies | null> {
  const rows = await db.any(sql.type(Policy)`
    select hostname, policy from trust.listings where org_id = ${orgId} limit ${most + 1}`)
  return rows.length > most ? null : policiesIn(rows)
}

const Policy = table.Row.pick({ hostname: true, policy: true })

const policiesIn = (rows: readonly z.infer<typeof Policy>[]): Policies =>
  new Map(rows.map(({ hostname, policy }) => [hostname, policy]))

const Told = z.object({ pg_notify: z.unknown() })

const tell = (tx: Db, orgId: string) => tx.query(sql.type(Told)`select pg_notify(${listingsChannel}, ${orgId})`)

/** Has an organisation allow or deny a host and all below it, in a transaction: with it, all who know the listings are told. */
export async function put(tx: Db, row: Pick<Listing, 'org_id' | 'hostname' | 'policy' | 'note'>): Promise<Listing> {
  await tell(tx, row.org_id)
  return await tx.one(sql.type(table.Row)`
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

/** Takes a listing back, in a transaction as `put`; false when there is none. */
export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  await tell(tx, orgId)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from trust.listings where org_id = ${orgId} and id = ${id}`)
  return rowCount > 0
}
