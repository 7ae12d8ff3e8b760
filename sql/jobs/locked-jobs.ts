import { z } from 'zod'
import { toStorableText } from '#lib/outside-text.ts'
import { type Db, sql } from '../db.ts'
import { jobsTable } from './graphile-schema.ts'

/** A job that a worker has fetched. Writes have no effect if the worker no longer holds the job’s lock. */
export interface LockedJob {
  queue: string
  jobId: number
  worker: string
}

const table = ({ queue }: LockedJob) => jobsTable({ schema: queue })

const isLocked = ({ jobId, worker }: LockedJob) => sql.fragment`id = ${jobId} and locked_by = ${worker}`

/** Marks a locked job. Its completion then returns it to the queue at `at` without counting an attempt (jobs.fence). */
export async function markReturn(db: Db, job: LockedJob, at: Date): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${table(job)}
    set flags = jsonb_build_object('later', extract(epoch from ${at.toISOString()}::timestamptz))
    where ${isLocked(job)}`)
}

/**
 * String that is appended to the last error of a job when the job is returned because its organisation uses its share
 * of the slots.
 */
const waitsForShare = 'waits: its organisation holds its share of the slots'

/** True if a job was returned and has not run since. */
export const isPutBack = (lastError: string | null): boolean => lastError?.endsWith(waitsForShare) ?? false

export const wasPutBack = sql.fragment`coalesce(right(last_error, ${waitsForShare.length}) = ${waitsForShare}, false)`

/**
 * Marks a locked job like `markReturn` for a delay in milliseconds. Uses the database’s clock, because this host’s
 * clock can be wrong.
 */
export async function markLater(db: Db, job: LockedJob, delay: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${table(job)}
    set flags = jsonb_build_object('later', extract(epoch from now() + ${delay} * interval '1 millisecond')),
      last_error = case when ${wasPutBack} then nullif(rtrim(left(last_error, -${waitsForShare.length}::integer), '; '), '') else last_error end
    where ${isLocked(job)}`)
}

/**
 * Marks a locked job like `markLater`, and records that the job waits for its organisation’s share. The job still
 * counts as waiting.
 */
export async function putBack(db: Db, job: LockedJob, delay: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${table(job)}
    set flags = jsonb_build_object('later', extract(epoch from now() + ${delay} * interval '1 millisecond')),
      last_error = case when ${wasPutBack} then last_error else coalesce(last_error || '; ', '') || ${waitsForShare}::text end
    where ${isLocked(job)}`)
}

const unfitSince = 'waits for a fit host since '

export const isUnfit = (lastError: string | null): boolean => lastError?.includes(unfitSince) ?? false

/** Start of the current period in which no host could run the job, by the database’s clock. */
const since = sql.fragment`coalesce(substring(last_error from ${`${unfitSince}([^ ]+): `})::timestamptz, now())`

/** Returns for how long hosts could not run a locked job, in milliseconds. Returns 0 the first time. */
export async function getUnfitMs(db: Db, job: LockedJob): Promise<number> {
  const ms = await db.maybeOneFirst(sql.type(z.object({ ms: z.number() }))`
    select (extract(epoch from now() - ${since}) * 1000)::float8 as ms from ${table(job)}
    where ${isLocked(job)}`)
  return ms ?? 0
}

/** Records in a locked job that its host cannot run it, since when, and why. */
export async function markUnfit(db: Db, job: LockedJob, why: string): Promise<void> {
  const text = toStorableText(why)
  await db.query(sql.typeAlias('void')`
    update ${table(job)} set last_error =
      coalesce(substring(last_error from '^worker lost') || '; ', '') || ${unfitSince}
      || to_char(${since} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ': ' || ${text}::text
    where ${isLocked(job)}`)
}

/** Removes the record of `markUnfit` from a locked job that has run. */
export async function clearUnfit(db: Db, job: LockedJob): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${table(job)} set last_error = substring(last_error from '^worker lost')
    where ${isLocked(job)}`)
}

/** Removes the remaining attempts of a locked job, so that its next recorded failure is final. */
export async function removeAttempts(db: Db, job: LockedJob): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${table(job)} set max_attempts = greatest(attempts, 1)
    where ${isLocked(job)}`)
}

/** True if another job took over the key of a locked job. The queue then allows no further attempt. */
export async function isReplaced(db: Db, job: LockedJob): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: z.number() }))`
    select id from ${table(job)}
    where ${isLocked(job)} and key is null and attempts >= max_attempts`)
}
