import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'email',
  'host_certificates',
  z.object({
    hostname: z.string(),
    due_at: z.date(),
    leased_until: z.date().nullable(),
    failures: z.number(),
    reason: z.string().nullable(),
    order_url: z.string().nullable(),
    order_key: z.string().nullable(),
    chain: z.string().nullable(),
    key: z.string().nullable(),
    not_after: z.date().nullable(),
  }),
)

const Work = table.Row.pick({ hostname: true, failures: true, order_url: true, order_key: true })

export type Work = z.infer<typeof Work>

/** Adds the host name if it is new. Leases it for `leaseMs` milliseconds if work is due and no other run has the lease. */
export async function claim(tx: Db, hostname: string, leaseMs: number): Promise<Work | null> {
  await tx.query(sql.typeAlias('void')`
    insert into email.host_certificates (hostname) values (${hostname}) on conflict (hostname) do nothing`)
  return await tx.maybeOne(sql.type(Work)`
    update email.host_certificates set leased_until = now() + ${leaseMs} * interval '1 ms'
    where hostname = ${hostname} and due_at <= now() and (leased_until is null or leased_until < now())
    returning hostname, failures, order_url, order_key`)
}

/** Ends the lease, so that the next run continues the order. */
export async function release(db: Db, hostname: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update email.host_certificates set leased_until = null where hostname = ${hostname}`)
}

export async function setOrder(tx: Db, hostname: string, url: string, key: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.host_certificates set order_url = ${url}, order_key = ${key} where hostname = ${hostname}`)
}

/** Stores a new certificate in PEM. The key of the order becomes the key of the certificate. */
export async function setIssued(
  tx: Db,
  hostname: string,
  { chain, not_after, due_at }: { chain: string; not_after: Date; due_at: Date },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.host_certificates set chain = ${chain}, key = order_key, not_after = ${not_after.toISOString()},
      due_at = ${due_at.toISOString()}, failures = 0, reason = null, order_url = null, order_key = null, leased_until = null
    where hostname = ${hostname} and order_key is not null`)
}

export interface Retry {
  reason: string
  /** Time until the next attempt in milliseconds. */
  dueMs: number
  failures: number
  /** True if the order cannot be continued. */
  isOrderLost: boolean
}

export async function scheduleRetry(tx: Db, hostname: string, retry: Retry): Promise<void> {
  const { reason, failures, isOrderLost } = retry
  await tx.query(sql.typeAlias('void')`
    update email.host_certificates set reason = ${reason}, failures = ${failures}, leased_until = null,
      due_at = now() + ${Math.round(retry.dueMs)} * interval '1 ms',
      order_url = case when ${isOrderLost} then null else order_url end,
      order_key = case when ${isOrderLost} then null else order_key end
    where hostname = ${hostname}`)
}

/** Orders a new certificate if the key of the present one cannot be decrypted, because the secret has changed. */
export async function renewUnsealable(tx: Db, hostname: string, mark: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.host_certificates set due_at = now()
    where hostname = ${hostname} and failures = 0 and due_at > now() and not starts_with(key, ${mark})`)
}

const Served = z.object({ chain: z.string(), key: z.string() })

/** Returns the certificate of a host name and its encrypted key. Null if none was issued. */
export async function findServed(db: Db, hostname: string): Promise<z.infer<typeof Served> | null> {
  return await db.maybeOne(sql.type(Served)`
    select chain, key from email.host_certificates where hostname = ${hostname} and chain is not null and key is not null`)
}

const Standing = table.Row.pick({ hostname: true, reason: true, failures: true, not_after: true, due_at: true })

export type Standing = z.infer<typeof Standing>

export async function findStanding(db: Db, hostname: string): Promise<Standing | null> {
  return await db.maybeOne(sql.type(Standing)`
    select hostname, reason, failures, not_after, due_at from email.host_certificates where hostname = ${hostname}`)
}
