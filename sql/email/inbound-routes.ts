import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { notClosing } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'email',
  'inbound_routes',
  z.object({
    id: Id,
    org_id: Id,
    domain_id: Id.nullable(),
    host: z.string(),
    local_part: z.string().nullable(),
    created_at: z.date(),
  }),
)

export const InboundRoute = table.Row

export type InboundRoute = z.infer<typeof InboundRoute>

const columns = table.columns()

/** Returns null if the organisation has `max` routes, or already has this route. */
export async function insert(
  tx: Db,
  { id, org_id, domain_id, host, local_part }: Omit<InboundRoute, 'created_at'>,
  max: number,
): Promise<InboundRoute | null> {
  await lockOrgLimit(tx, org_id, 'email.inbound_routes')
  return await tx.maybeOne(sql.type(InboundRoute)`
    insert into email.inbound_routes (id, org_id, domain_id, host, local_part)
    select ${id}, ${org_id}, ${domain_id}, ${host}, ${local_part}
    where (select count(*) from email.inbound_routes where org_id = ${org_id}) < ${max}
    on conflict (host, coalesce(local_part, ''), org_id) do nothing returning ${columns}`)
}

/**
 * Returns the organisation that has the route of an address: the given organisation, or another organisation with a
 * verified domain.
 */
export async function findHolder(
  tx: Db,
  host: string,
  localPart: string | null,
  orgId: string,
): Promise<'own' | 'other' | null> {
  const own = await tx.maybeOneFirst(sql.type(z.object({ own: z.boolean() }))`
    select r.org_id = ${orgId} as own from email.inbound_routes as r left join email.domains as d on d.id = r.domain_id
    where r.host = ${host} and r.local_part is not distinct from ${localPart}
      and (r.org_id = ${orgId} or r.domain_id is null or d.status = 'verified')
    order by r.org_id = ${orgId} desc limit 1`)
  return own === null ? null : own ? 'own' : 'other'
}

export async function lockHost(tx: Db, host: string): Promise<void> {
  await lockOrgLimit(tx, host, 'email.inbound_routes')
}

export interface MatchedRoute {
  id: string
  org_id: string
}

/**
 * Returns the route of an address: the exact local part, then the part before `+`, then the complete host. If several
 * organisations have the route, returns the oldest. Null if no route matches.
 */
export async function findMatch(db: Db, host: string, localPart: string): Promise<MatchedRoute | null> {
  const base = localPart.split('+', 1)[0] as string
  return await db.maybeOne(sql.type(InboundRoute.pick({ id: true, org_id: true }))`
    select r.id, r.org_id from email.inbound_routes as r left join email.domains as d on d.id = r.domain_id
    where r.host = ${host} and (r.local_part is null or r.local_part in (${localPart}, ${base}))
      and (r.domain_id is null or d.status = 'verified') and ${notClosing('r')}
    order by r.local_part is null, r.local_part = ${localPart} desc, r.id limit 1`)
}

export async function hasHost(db: Db, host: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`select id from email.inbound_routes where host = ${host}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<InboundRoute | null> {
  return await db.maybeOne(sql.type(InboundRoute)`
    select ${columns} from email.inbound_routes where org_id = ${orgId} and id = ${id}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly InboundRoute[]> {
  const after = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(InboundRoute)`
    select ${columns} from email.inbound_routes where org_id = ${orgId} ${after} order by id desc limit ${limit}`)
}

/** Deletes a route. Received email is kept. Returns null if the route does not exist. */
export async function remove(tx: Db, orgId: string, id: string): Promise<InboundRoute | null> {
  return await tx.maybeOne(sql.type(InboundRoute)`
    delete from email.inbound_routes where org_id = ${orgId} and id = ${id} returning ${columns}`)
}
