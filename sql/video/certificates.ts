import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/** The state of a certificate: `off` where no authority is set up, `failed` until the next try. */
export const CertificateState = z.enum(['off', 'ordering', 'issued', 'failed'])

/** What the seal of private keys is for. */
export const sealPurpose = 'video certificates'

/** The private keys that a domain has are sealed as being about this. */
export const keyAbout = (domainId: string) => `certificate ${domainId}`

/** Requests a certificate: due at once for a new domain, as soon as the authority may be asked again for one that failed. */
export async function request(tx: Db, domainId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into video.certificates as c (domain_id) values (${domainId})
    on conflict (domain_id) do update set due_at = greatest(now(), c.ask_after) where c.state in ('off', 'failed')`)
}

/** Whether something is due for a domain and no run has its lease; its row is locked until the transaction ends. */
export async function lockUnleased(tx: Db, domainId: string): Promise<boolean> {
  const free = await tx.maybeOneFirst(sql.type(z.object({ domain_id: Id }))`
    select domain_id from video.certificates
    where domain_id = ${domainId} and due_at <= now() and (leased_until is null or leased_until < now()) for update`)
  return free !== null
}

/** Leases a domain's certificate to a run for `leaseMs`. */
export async function lease(tx: Db, domainId: string, runId: string, leaseMs: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.certificates set run_id = ${runId}, leased_until = now() + ${leaseMs} * interval '1 ms'
    where domain_id = ${domainId}`)
}

const Work = z.object({
  domain_id: Id,
  org_id: Id,
  hostname: z.string(),
  failures: z.number(),
  order_url: z.string().nullable(),
  order_key: z.string().nullable(),
})

/** What a run works on. */
export type Work = z.infer<typeof Work>

/** Claims a domain's certificate for `leaseMs`, if something is due and no other run has its lease. */
export async function claim(tx: Db, domainId: string, runId: string, leaseMs: number): Promise<Work | null> {
  return await tx.maybeOne(sql.type(Work)`
    update video.certificates as c
    set run_id = ${runId}, leased_until = now() + ${leaseMs} * interval '1 ms',
      state = case when c.state = 'issued' then c.state else 'ordering' end
    from video.domains as d
    where d.id = c.domain_id and d.verified_at is not null and c.domain_id = ${domainId} and c.due_at <= now()
      and (c.leased_until is null or c.leased_until < now() or c.run_id = ${runId})
    returning c.domain_id, d.org_id, d.hostname, c.failures, c.order_url, c.order_key`)
}

/** Counts an order that is about to be placed, if fewer than `max` were within 3 hours, over all domains. */
export async function countOrder(tx: Db, domainId: string, max: number): Promise<boolean> {
  const counted = await tx.query(sql.typeAlias('void')`
    update video.certificates set asked_at = now() where domain_id = ${domainId}
      and (select count(*) from video.certificates where asked_at > now() - interval '3 hours') < ${max}`)
  return counted.rowCount === 1
}

/** Stores the URL of an order, and the sealed key that it is for. */
export async function setOrder(tx: Db, domainId: string, url: string, key: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.certificates set order_url = ${url}, order_key = ${key} where domain_id = ${domainId}`)
}

/** Drops an order that is no longer valid; the next one begins at once. */
export async function forgetOrder(tx: Db, domainId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.certificates set order_url = null, order_key = null where domain_id = ${domainId}`)
}

/** How a try ended that brought no certificate; the times are milliseconds from now. */
export interface Retry {
  state: 'off' | 'failed'
  reason: string
  /** Until the next try. */
  dueMs: number
  /** Until the authority may be asked again at all. */
  askMs: number
  failures: number
}

/** Records why there is no new certificate and when to try again, and ends the lease; the present certificate stays served. */
export async function scheduleRetry(db: Db, domainId: string, retry: Retry): Promise<void> {
  const { state, reason, failures } = retry
  const [due, ask] = [Math.round(retry.dueMs), Math.round(retry.askMs)]
  await db.query(sql.typeAlias('void')`
    update video.certificates
    set state = ${state}, reason = ${reason}, failures = ${failures}, leased_until = null, run_id = null,
      due_at = now() + ${due} * interval '1 ms', ask_after = now() + ${ask} * interval '1 ms'
    where domain_id = ${domainId}`)
}

/** A certificate as the authority gave it. */
export interface IssuedCertificate {
  version: string
  /** PEM: the certificate, then those that it is trusted through. */
  chain: string
  not_after: Date
  /** When the next one is to be ordered. */
  due_at: Date
}

/** Serves a new certificate: the order's key becomes the certificate's. False when the domain is gone, or proven no more. */
export async function setIssued(tx: Db, domainId: string, issued: IssuedCertificate): Promise<boolean> {
  const { version, chain } = issued
  const set = await tx.query(sql.typeAlias('void')`
    update video.certificates
    set state = 'issued', reason = null, failures = 0, version = ${version}, chain = ${chain}, key = order_key,
      not_after = ${issued.not_after.toISOString()}, due_at = ${issued.due_at.toISOString()}, ask_after = now(),
      order_url = null, order_key = null, leased_until = null, run_id = null
    where domain_id = ${domainId} and order_key is not null`)
  return set.rowCount === 1
}

const ServedCertificate = z.object({ domain_id: Id, chain: z.string(), key: z.string() })

/** The certificate of a host name, its key sealed. */
export async function findServed(db: Db, hostname: string): Promise<z.infer<typeof ServedCertificate> | null> {
  return await db.maybeOne(sql.type(ServedCertificate)`
    select c.domain_id, c.chain, c.key from video.certificates as c join video.domains as d on d.id = c.domain_id
    where d.hostname = ${hostname} and d.verified_at is not null and c.version is not null`)
}

/** Domains for which something is due and no run has the lease, at most `limit`, the longest due first. */
export async function listDue(db: Db, limit: number): Promise<readonly { domain_id: string; org_id: string }[]> {
  return await db.any(sql.type(z.object({ domain_id: Id, org_id: Id }))`
    select c.domain_id, d.org_id from video.certificates as c join video.domains as d on d.id = c.domain_id
    where c.due_at <= now() and (c.leased_until is null or c.leased_until < now()) order by c.due_at limit ${limit}`)
}

/** Has certificates renewed whose keys no longer open, as the secret they were sealed with was changed. */
export async function renewUnsealable(db: Db, mark: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update video.certificates set due_at = greatest(now(), ask_after)
    where state = 'issued' and not starts_with(key, ${mark}) and due_at > greatest(now(), ask_after)`)
}

const Census = z.object({ none: z.number(), valid: z.number(), failing: z.number(), ended: z.number() })

/** How many proven domains have no certificate yet, a valid one, one whose renewal has failed, or one that has ended. */
export async function census(db: Db): Promise<z.infer<typeof Census>> {
  return await db.one(sql.type(Census)`
    select count(*) filter (where not_after is null)::int as none,
      count(*) filter (where not_after > now() and failures = 0)::int as valid,
      count(*) filter (where not_after > now() and failures > 0)::int as failing,
      count(*) filter (where not_after <= now())::int as ended
    from video.certificates`)
}
