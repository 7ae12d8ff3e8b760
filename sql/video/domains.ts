import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable, getColumns } from '../table.ts'
import { CertificateState } from './certificates.ts'

export const table = defineTable(
  'video',
  'domains',
  z.object({
    id: Id,
    org_id: Id,
    hostname: z.string(),
    token: z.string(),
    verified_at: z.date().nullable(),
    created_at: z.date(),
    /** `links`: the host of tracked links of an email domain. */
    purpose: z.enum(['playback', 'links']),
  }),
)

export const Domain = table.Row.extend({
  certificate_state: CertificateState.nullable(),
  reason: z.string().nullable(),
  due_at: z.date().nullable(),
  not_after: z.date().nullable(),
})

export type Domain = z.infer<typeof Domain>

export const domainsChannel = 'video_domains'

const columns = sql.fragment`${table.columns('d')}, c.state as certificate_state, c.reason, c.due_at, c.not_after`
const joined = sql.fragment`video.domains as d left join video.certificates as c on c.domain_id = d.id`

type NewDomain = Pick<Domain, 'id' | 'org_id' | 'hostname' | 'token'> & Partial<Pick<Domain, 'purpose'>>

/** Records a claim. Returns `null` if the organisation has `max` domains, or already has this domain. */
export async function insert(
  tx: Db,
  { id, org_id, hostname, token, purpose = 'playback' }: NewDomain,
  max: number,
): Promise<Domain | null> {
  await lockOrgLimit(tx, org_id, 'video.domains')
  const inserted = await tx.query(sql.typeAlias('void')`
    insert into video.domains (id, org_id, hostname, token, purpose)
    select ${id}, ${org_id}, ${hostname}, ${token}, ${purpose}
    where (select count(*) from video.domains where org_id = ${org_id} and purpose = ${purpose}) < ${max}
    on conflict (org_id, hostname) do nothing`)
  return inserted.rowCount === 0 ? null : await find(tx, org_id, id, purpose)
}

export async function find(
  db: Db,
  orgId: string,
  id: string,
  purpose: Domain['purpose'] = 'playback',
): Promise<Domain | null> {
  return await db.maybeOne(sql.type(Domain)`
    select ${columns} from ${joined} where d.id = ${id} and d.org_id = ${orgId} and d.purpose = ${purpose}`)
}

export async function findByName(db: Db, orgId: string, hostname: string): Promise<Domain | null> {
  return await db.maybeOne(sql.type(Domain)`
    select ${columns} from ${joined} where d.hostname = ${hostname} and d.org_id = ${orgId}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Domain[]> {
  const after = before ? sql.fragment`and d.id < ${before}` : sql.fragment``
  return await db.any(sql.type(Domain)`
    select ${columns} from ${joined} where d.org_id = ${orgId} and d.purpose = 'playback' ${after} order by d.id desc limit ${limit}`)
}

/** Deletes a domain with its certificate and keys. Returns its host name, or `null` if the domain does not exist. */
export async function remove(tx: Db, orgId: string, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ hostname: z.string() }))`
    delete from video.domains where id = ${id} and org_id = ${orgId} and purpose = 'playback' returning hostname`)
}

/** Deletes the claim on a host of links. Returns true if there was one. */
export async function removeLinkHost(tx: Db, orgId: string, hostname: string): Promise<boolean> {
  const removed = await tx.query(sql.typeAlias('void')`
    delete from video.domains where org_id = ${orgId} and hostname = ${hostname} and purpose = 'links'`)
  return removed.rowCount === 1
}

const Claim = table.Row.pick({ id: true, token: true })

/**
 * Returns the claim of the current owner. Locks the name until the transaction ends, so that concurrent verifications
 * run one after the other.
 */
export async function lockOwner(tx: Db, hostname: string): Promise<z.infer<typeof Claim> | null> {
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(${advisoryLockSpaces.domain}, hashtext(${hostname})) as locked`)
  return await tx.maybeOne(sql.type(Claim)`
    select ${getColumns(Claim)} from video.domains where hostname = ${hostname} and verified_at is not null`)
}

export async function setVerified(tx: Db, id: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.domains set verified_at = coalesce(verified_at, now()) where id = ${id}`)
  return set.rowCount === 1
}

/** Resets an owner's claim to unverified, without a certificate. */
export async function unsetVerified(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from video.certificates where domain_id = ${id}`)
  await tx.query(sql.typeAlias('void')`update video.domains set verified_at = null where id = ${id}`)
}

export async function notifyChanged(tx: Db, hostname: string): Promise<void> {
  await tx.query(
    sql.type(z.object({ notified: z.unknown() }))`select pg_notify(${domainsChannel}, ${hostname}) as notified`,
  )
}

export const OwnedDomain = z.object({ hostname: z.string(), org_id: Id, version: Id.nullable(), active: z.boolean() })

export type OwnedDomain = z.infer<typeof OwnedDomain>

const ownedColumns = sql.fragment`d.hostname, d.org_id, c.version, coalesce(c.not_after > now(), false) as active`

export async function listOwned(db: Db): Promise<readonly OwnedDomain[]> {
  return await db.any(sql.type(OwnedDomain)`select ${ownedColumns} from ${joined} where d.verified_at is not null`)
}

export async function findOwned(db: Db, hostnames: readonly string[]): Promise<readonly OwnedDomain[]> {
  return await db.any(sql.type(OwnedDomain)`
    select ${ownedColumns} from ${joined}
    where d.hostname = any(${sql.array([...hostnames], 'text')}) and d.verified_at is not null`)
}
