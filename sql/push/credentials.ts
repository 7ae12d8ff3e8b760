import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

/** Purpose of the encryption (lib/seal.ts). The credential’s ID is the associated data. */
export const sealPurpose = 'push credentials'

/**
 * Time in seconds for which a circuit breaker is open: after the first rejection, and the maximum. Each further
 * rejection doubles the time.
 */
const openSeconds = { first: 30, most: 3_600 }

/** Time in seconds for which one job can try a credential whose breaker is half-open. */
const probeSeconds = 300

export const table = defineTable(
  'push',
  'credentials',
  z.object({
    id: Id,
    org_id: Id,
    app_id: Id,
    provider: z.enum(['apns', 'fcm', 'webpush']),
    environment: z.enum(['production', 'sandbox']),
    facts: z.record(z.string(), z.string()),
    secret: z.string(),
    created_at: z.date(),
    check_state: z.enum(['ok', 'failed', 'unreachable']).nullable(),
    check_reason: z.string().nullable(),
    checked_at: z.date().nullable(),
    failures: z.number(),
    open_until: z.date().nullable(),
    open_reason: z.string().nullable(),
    proven_at: z.date().nullable(),
  }),
)

export type Credential = z.infer<typeof table.Row>

export type Target = Pick<Credential, 'app_id' | 'environment'> & { provider: Credential['provider'] }

const columns = table.columns()

const Lane = table.Row.pick({ provider: true, environment: true })

export const CredentialFacts = table.Row.omit({ secret: true })

export type CredentialFacts = z.infer<typeof CredentialFacts>

/** Stores an app’s credential with a closed breaker. It replaces the previous credential. */
export async function put(
  tx: Db,
  credential: Pick<Credential, 'id' | 'org_id' | 'app_id' | 'provider' | 'environment' | 'facts' | 'secret'>,
): Promise<CredentialFacts> {
  return await tx.one(sql.type(CredentialFacts)`
    ${table.insert(credential)}
    on conflict (app_id, provider, environment) do update
    set id = excluded.id, facts = excluded.facts, secret = excluded.secret, created_at = now(),
      check_state = null, check_reason = null, checked_at = null, failures = 0, open_until = null, open_reason = null,
      proven_at = null
    returning ${getColumns(CredentialFacts)}`)
}

export async function listForApp(db: Db, appId: string, provider?: string): Promise<readonly CredentialFacts[]> {
  return await db.any(sql.type(CredentialFacts)`
    select ${getColumns(CredentialFacts)} from push.credentials
    where app_id = ${appId} and (${provider ?? null}::text is null or provider = ${provider ?? null})
    order by provider, environment`)
}

export async function listForApps(db: Db, appIds: readonly string[]): Promise<readonly CredentialFacts[]> {
  return await db.any(sql.type(CredentialFacts)`
    select ${getColumns(CredentialFacts)} from push.credentials
    where app_id = any(${sql.array([...appIds], 'uuid')}) order by provider, environment`)
}

export async function findById(db: Db, id: string): Promise<Credential | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from push.credentials where id = ${id}`)
}

export const CredentialState = table.Row.extend({ open: z.boolean(), half_open: z.boolean() })

/** Returns the credential for a target with the state of its breaker. `null` if the app has no such credential. */
export async function findFor(
  db: Db,
  { app_id, provider, environment }: Target,
): Promise<z.infer<typeof CredentialState> | null> {
  return await db.maybeOne(sql.type(CredentialState)`
    select ${columns}, coalesce(open_until > now(), false) as open, coalesce(open_until <= now(), false) as half_open
    from push.credentials
    where app_id = ${app_id} and provider = ${provider} and environment = ${environment}`)
}

/** Deletes the credential of one environment or of all environments. Returns the deleted ones. */
export async function remove(
  tx: Db,
  appId: string,
  { provider, environment }: { provider: string; environment?: string | undefined },
): Promise<readonly z.infer<typeof Lane>[]> {
  return await tx.any(sql.type(Lane)`
    delete from push.credentials
    where app_id = ${appId} and provider = ${provider}
      and (${environment ?? null}::text is null or environment = ${environment ?? null})
    returning provider, environment`)
}

export async function saveCheck(
  db: Db,
  id: string,
  { state, reason }: { state: NonNullable<Credential['check_state']>; reason: string | null },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update push.credentials set check_state = ${state}, check_reason = ${reason}, checked_at = now() where id = ${id}`)
}

/** Reserves the single attempt with a half-open breaker. Returns false if another job has reserved it. */
export async function reserveProbe(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update push.credentials set open_until = now() + ${probeSeconds} * interval '1 second'
    where id = ${id} and open_until <= now()`)
  return rowCount === 1
}

/** Releases the reserved attempt without a result. */
export async function releaseProbe(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update push.credentials set open_until = now() where id = ${id} and open_until is not null`)
}

/**
 * Opens a credential’s breaker, longer each time. Returns until when it is open. If several jobs are rejected at the
 * same time, only the first opens the breaker, because the others had already started. Only the job that tried the
 * half-open breaker (`probed`) extends the time.
 */
export async function openBreaker(tx: Db, id: string, reason: string, probed: boolean): Promise<Date | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ open_until: z.date().nullable() }))`
    update push.credentials set
      failures = case when ${probed} or open_until is null or open_until <= now() then failures + 1 else failures end,
      open_until = case when ${probed} or open_until is null or open_until <= now()
        then now() + least(${openSeconds.most}, ${openSeconds.first} * 2 ^ least(failures, 10)) * interval '1 second'
        else open_until end,
      open_reason = ${reason}
    where id = ${id} returning open_until`)
}

/** Records that the provider has accepted a push with this credential for the first time. */
export async function markProven(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update push.credentials set proven_at = now() where id = ${id} and proven_at is null`)
}

/**
 * Ends the wait of a credential with an open breaker, so that the next job tries the credential. Returns `null` if no
 * such credential exists.
 */
export async function endBreakerWait(
  tx: Db,
  { app_id, provider, environment }: Target,
): Promise<CredentialFacts | null> {
  return await tx.maybeOne(sql.type(CredentialFacts)`
    update push.credentials set open_until = case when open_until > now() then now() else open_until end
    where app_id = ${app_id} and provider = ${provider} and environment = ${environment}
    returning ${getColumns(CredentialFacts)}`)
}

export async function closeBreaker(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update push.credentials set failures = 0, open_until = null, open_reason = null where id = ${id}`)
}
