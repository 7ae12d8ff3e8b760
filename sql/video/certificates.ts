import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/** State of a certificate. `off`: no authority is configured. `failed`: until the next attempt. */
export const CertificateState = z.enum(['off', 'ordering', 'issued', 'failed'])

export const sealPurpose = 'video certificates'

/** Returns the context to which the encryption of a domain’s private keys is bound. */
export const keySealContext = (domainId: string) => `certificate ${domainId}`

/** Requests a certificate: immediately for a new domain, and as soon as the authority allows it for a failed domain. */
export async function request(tx: Db, domainId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into video.certificates as c (domain_id) values (${domainId})
    on conflict (domain_id) do update set due_at = greatest(now(), c.ask_after) where c.state in ('off', 'failed')`)
}

/** True if work is due for a domain and no run has its lease. Locks the domain’s row until the transaction ends. */
export async function lockUnleased(tx: Db, domainId: string): Promise<boolean> {
  const free = await tx.maybeOneFirst(sql.type(z.object({ domain_id: Id }))`
    select domain_id from video.certificates
    where domain_id = ${domainId} and due_at <= now() and (leased_until is null or leased_until < now()) for update`)
  return free !== null
}

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

export type Work = z.infer<typeof Work>

/** Leases a domain’s certificate for `leaseMs` milliseconds if work is due and no other run has the lease. */
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

/** Counts an order before it is placed. Returns false if `max` orders were placed within 3 hours, over all domains. */
export async function countOrder(tx: Db, domainId: string, max: number): Promise<boolean> {
  const counted = await tx.query(sql.typeAlias('void')`
    update video.certificates set asked_at = now() where domain_id = ${domainId}
      and (select count(*) from video.certificates where asked_at > now() - interval '3 hours') < ${max}`)
  return counted.rowCount === 1
}

export async function setOrder(tx: Db, domainId: string, url: string, key: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.certificates set order_url = ${url}, order_key = ${key} where domain_id = ${domainId}`)
}

/** Deletes an order that is no longer valid. The next order starts immediately. */
export async function deleteOrder(tx: Db, domainId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.certificates set order_url = null, order_key = null where domain_id = ${domainId}`)
}

/** Result of an attempt without a certificate. Times are in milliseconds from now. */
export interface Retry {
  state: 'off' | 'failed'
  reason: string
  dueMs: number
  askMs: number
  failures: number
}

export async function scheduleRetry(db: Db, domainId: string, retry: Retry): Promise<void> {
  const { state, reason, failures } = retry
  const [due, ask] = [Math.round(retry.dueMs), Math.round(retry.askMs)]
  await db.query(sql.typeAlias('void')`
    update video.certificates
    set state = ${state}, reason = ${reason}, failures = ${failures}, leased_until = null, run_id = null,
      due_at = now() + ${due} * interval '1 ms', ask_after = now() + ${ask} * interval '1 ms'
    where domain_id = ${domainId}`)
}

export interface IssuedCertificate {
  version: string
  /** The certificate, followed by its chain, in PEM. */
  chain: string
  not_after: Date
  due_at: Date
}

/**
 * Stores a new certificate. The key of the order becomes the key of the certificate. Returns false if the domain was
 * deleted or is no longer verified.
 */
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

export async function findServed(db: Db, hostname: string): Promise<z.infer<typeof ServedCertificate> | null> {
  return await db.maybeOne(sql.type(ServedCertificate)`
    select c.domain_id, c.chain, c.key from video.certificates as c join video.domains as d on d.id = c.domain_id
    where d.hostname = ${hostname} and d.verified_at is not null and c.version is not null`)
}

/** Lists up to `limit` domains for which work is due and no run has the lease, longest due first. */
export async function listDue(db: Db, limit: number): Promise<readonly { domain_id: string; org_id: string }[]> {
  return await db.any(sql.type(z.object({ domain_id: Id, org_id: Id }))`
    select c.domain_id, d.org_id from video.certificates as c join video.domains as d on d.id = c.domain_id
    where c.due_at <= now() and (c.leased_until is null or c.leased_until < now()) order by c.due_at limit ${limit}`)
}

/** Requests new certificates for keys that cannot be decrypted, because the secret has changed. */
export async function renewUnsealable(db: Db, mark: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update video.certificates set due_at = greatest(now(), ask_after)
    where state = 'issued' and not starts_with(key, ${mark}) and due_at > greatest(now(), ask_after)`)
}

const Census = z.object({ none: z.number(), valid: z.number(), failing: z.number(), ended: z.number() })

/**
 * Counts the verified domains: without a certificate, with a valid certificate, with a certificate whose renewal has
 * failed, and with an expired certificate.
 */
export async function countByState(db: Db): Promise<z.infer<typeof Census>> {
  return await db.one(sql.type(Census)`
    select count(*) filter (where not_after is null)::int as none,
      count(*) filter (where not_after > now() and failures = 0)::int as valid,
      count(*) filter (where not_after > now() and failures > 0)::int as failing,
      count(*) filter (where not_after <= now())::int as ended
    from video.certificates`)
}
