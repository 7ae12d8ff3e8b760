import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable, getColumns } from '../table.ts'

export const Check = z.object({
  /** `unknown`: the name servers did not respond. This is not an error in the record. */
  state: z.enum(['found', 'missing', 'different', 'unknown']),
  /** Value of the record, or the reason why it is unknown. */
  found: z.string().nullable(),
})

export type Check = z.infer<typeof Check>

export const table = defineTable(
  'email',
  'domains',
  z.object({
    id: Id,
    org_id: Id,
    domain: z.string(),
    return_path: z.string(),
    status: z.enum(['pending', 'verified', 'failed']),
    verified_by: z.enum(['dns', 'operator']).nullable(),
    checks: z.record(z.string(), Check),
    failed_passes: z.number(),
    created_at: z.date(),
    checked_at: z.date().nullable(),
    verified_at: z.date().nullable(),
    passed_at: z.date().nullable(),
    track_opens: z.boolean(),
    track_clicks: z.boolean(),
    tracking_host: z.string().nullable(),
    dmarc_warned_on: z.string().nullable(),
    /** Names the domain in the address that receives its reports. */
    report_mailbox: z.string(),
  }),
)

export const EmailDomain = table.Row

export type EmailDomain = z.infer<typeof EmailDomain>

export const keyTable = defineTable(
  'email',
  'dkim_keys',
  z.object({
    id: Id,
    org_id: Id,
    domain_id: Id,
    selector: z.string(),
    algorithm: z.enum(['rsa-sha256', 'ed25519-sha256']),
    private_key: z.string(),
    public_key: z.string(),
    published: z.boolean(),
    created_at: z.date(),
  }),
)

export type DkimKey = z.infer<typeof keyTable.Row>

/** `domain` must be in ASCII and lower case. */
export async function find(db: Db, orgId: string, domain: string): Promise<EmailDomain | null> {
  return await db.maybeOne(sql.type(EmailDomain)`
    select ${table.columns()} from email.domains where org_id = ${orgId} and domain = ${domain}`)
}

export async function findMany(
  db: Db,
  wanted: readonly { org_id: string; domain: string }[],
): Promise<readonly EmailDomain[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(EmailDomain)`
    select ${table.columns('d')} from email.domains as d
    join ${sql.unnest(
      wanted.map(({ org_id, domain }) => [org_id, domain]),
      ['uuid', 'text'],
    )} as w (org_id, domain) on d.org_id = w.org_id and d.domain = w.domain`)
}

/** Returns the domain that was verified first, of any organisation. For a domain that all organisations share. */
export async function findShared(db: Db, domain: string): Promise<EmailDomain | null> {
  return await db.maybeOne(sql.type(EmailDomain)`
    select ${table.columns()} from email.domains
    where domain = ${domain} and status = 'verified' order by verified_at, id limit 1`)
}

export const sealPurpose = 'email dkim'

export const keyAbout = (keyId: string): string => keyId

/** Returns null if the organisation has `max` domains, or already has this domain. */
export async function insert(
  tx: Db,
  { id, org_id, domain, return_path }: Pick<EmailDomain, 'id' | 'org_id' | 'domain' | 'return_path'>,
  keys: readonly Omit<DkimKey, 'created_at'>[],
  max: number,
): Promise<EmailDomain | null> {
  await lockOrgLimit(tx, org_id, 'email.domains')
  const inserted = await tx.maybeOne(sql.type(EmailDomain)`
    insert into email.domains (id, org_id, domain, return_path)
    select ${id}, ${org_id}, ${domain}, ${return_path}
    where (select count(*) from email.domains where org_id = ${org_id}) < ${max}
    on conflict (org_id, domain) do nothing returning ${table.columns()}`)
  if (inserted) await tx.query(sql.typeAlias('void')`${keyTable.insertMany(keys)}`)
  return inserted
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly EmailDomain[]> {
  const after = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(EmailDomain)`
    select ${table.columns()} from email.domains where org_id = ${orgId} ${after} order by id desc limit ${limit}`)
}

export async function findById(db: Db, id: string): Promise<EmailDomain | null> {
  return await db.maybeOne(sql.type(EmailDomain)`select ${table.columns()} from email.domains where id = ${id}`)
}

const Reported = EmailDomain.pick({ id: true, org_id: true, domain: true })

/** Returns null if the domain does not exist or its organisation is closed. */
export async function findByReportMailbox(db: Db, token: string): Promise<z.infer<typeof Reported> | null> {
  return await db.maybeOne(sql.type(Reported)`
    select ${getColumns(Reported, 'd')} from email.domains as d where d.report_mailbox = ${token} and ${isOpen('d')}`)
}

export async function lock(tx: Db, id: string): Promise<EmailDomain | null> {
  return await tx.maybeOne(
    sql.type(EmailDomain)`select ${table.columns()} from email.domains where id = ${id} for update`,
  )
}

/** Returns the verified domain that the organisation has had longest, optionally only among the given domains. */
export async function oldestVerified(
  db: Db,
  orgId: string,
  among: readonly string[] | undefined,
): Promise<EmailDomain | null> {
  const only = among ? sql.fragment`and domain = any(${sql.array([...among], 'text')})` : sql.fragment``
  return await db.maybeOne(sql.type(EmailDomain)`
    select ${table.columns()} from email.domains
    where org_id = ${orgId} and status = 'verified' ${only} order by id limit 1`)
}

/** Deletes a domain. Returns its ID, or null if it does not exist. */
export async function remove(tx: Db, orgId: string, domain: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(EmailDomain.pick({ id: true }))`
    delete from email.domains where org_id = ${orgId} and domain = ${domain} returning id`)
}

export async function listKeys(db: Db, domainIds: readonly string[]): Promise<readonly DkimKey[]> {
  return await db.any(sql.type(keyTable.Row)`
    select ${keyTable.columns()} from email.dkim_keys
    where domain_id = any(${sql.array([...domainIds], 'uuid')}) order by domain_id, algorithm desc, id`)
}

export async function setPublished(tx: Db, keyId: string, published: boolean): Promise<void> {
  await tx.query(sql.typeAlias('void')`update email.dkim_keys set published = ${published} where id = ${keyId}`)
}

export async function saveChecks(
  tx: Db,
  id: string,
  {
    status,
    checks,
    failed_passes,
    hourly,
  }: Pick<EmailDomain, 'status' | 'checks' | 'failed_passes'> & { hourly: boolean },
): Promise<EmailDomain> {
  const isVerified = status === 'verified'
  return await tx.one(sql.type(EmailDomain)`
    update email.domains
    set status = ${status}, verified_by = ${isVerified ? 'dns' : null}, checks = ${sql.jsonb(checks)},
      failed_passes = ${failed_passes}, checked_at = now(), passed_at = case when ${hourly} then now() else passed_at end,
      verified_at = case when ${isVerified} then coalesce(verified_at, now()) end
    where id = ${id} returning ${table.columns()}`)
}

export async function saveTrackingCheck(tx: Db, id: string, check: Check): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.domains set checks = checks || ${sql.jsonb({ tracking_host: check })} where id = ${id}`)
}

export type TrackingSettings = Pick<EmailDomain, 'track_opens' | 'track_clicks' | 'tracking_host'>

/** Changes the tracking of a domain. A new host is not checked yet. */
export async function setTracking(
  tx: Db,
  id: string,
  changes: { [Name in keyof TrackingSettings]?: TrackingSettings[Name] | undefined },
): Promise<EmailDomain> {
  const unchecked =
    changes.tracking_host === undefined ? sql.fragment`` : sql.fragment`, checks = checks - 'tracking_host'`
  return await tx.one(sql.type(EmailDomain)`
    update email.domains set ${table.set(changes)} ${unchecked} where id = ${id} returning ${table.columns()}`)
}

/** Returns a domain, locked until the transaction ends. */
export async function lockByName(tx: Db, orgId: string, domain: string): Promise<EmailDomain | null> {
  return await tx.maybeOne(sql.type(EmailDomain)`
    select ${table.columns()} from email.domains where org_id = ${orgId} and domain = ${domain} for update`)
}

const DueDomain = EmailDomain.pick({ id: true, org_id: true })

export type DueDomain = z.infer<typeof DueDomain>

/**
 * Returns up to `count` domains with IDs after `after` that are due for a check. A check is due almost an hour after
 * the last check, or a day after it if the domain was not verified within two weeks.
 */
export async function listDue(db: Db, after: string | null, count: number): Promise<readonly DueDomain[]> {
  return await db.any(sql.type(DueDomain)`
    select ${getColumns(DueDomain)} from email.domains
    where verified_by is distinct from 'operator' and (${after}::uuid is null or id > ${after})
      and coalesce(passed_at, '-infinity') < now() -
        case when status <> 'verified' and created_at < now() - interval '14 days' then interval '23 hours'
        else interval '50 minutes' end
    order by id limit ${count}`)
}
