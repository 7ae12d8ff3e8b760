import { Problem } from '#lib/errors.ts'
import { type Db, getDatabaseObject } from '#sql/db.ts'
import * as pending from '#sql/work/pending.ts'

/** Jobs that have not ended, including future ones, per waiting job that the plan allows. */
const perWaiting = 100

/** Time in milliseconds for which a count is used, and the shortest time before the next count. */
const [freshMs, leastMs] = [5_000, 1_000]

/** A slow count is used for longer, so that counts take at most this part of the time. */
const mostTime = 0.05

interface Count {
  most: number
  jobs: number
  at: number
  freshMs: number
}

const counts = new WeakMap<object, Map<string, Count>>()

/**
 * Throws 429 if the organisation would have more jobs that have not ended than its plan allows. Jobs of other processes
 * are counted within seconds.
 */
export async function demandRoom(tx: Db, orgId: string, adding: number): Promise<void> {
  const count = await readCount(tx, orgId, adding)
  if (count.jobs + adding > count.most) throw full(count.most)
  count.jobs += adding
}

/** Returns how many of the wanted jobs the organisation can create now. */
export async function findRoom(db: Db, orgId: string, wanted: number): Promise<number> {
  const { most, jobs } = await readCount(db, orgId, wanted)
  return Math.min(wanted, Math.max(0, most - jobs))
}

/** Returns the 429 that `demandRoom` would throw. Null if there is room. */
export async function findRoomProblem(tx: Db, orgId: string, adding: number): Promise<Problem | null> {
  const { jobs, most } = await readCount(tx, orgId, adding)
  return jobs + adding > most ? full(most) : null
}

async function readCount(tx: Db, orgId: string, adding: number): Promise<Count> {
  const database = getDatabaseObject(tx)
  const known = counts.get(database) ?? new Map<string, Count>()
  counts.set(database, known)
  let count = known.get(orgId)
  const age = count ? performance.now() - count.at : Number.POSITIVE_INFINITY
  const isFull = count !== undefined && count.jobs + adding > count.most
  if (!count || age > count.freshMs || (isFull && age > leastMs)) {
    count = await read(tx, orgId)
    known.set(orgId, count)
    if (known.size > 10_000) known.delete(known.keys().next().value as string)
  }
  return count
}

async function read(tx: Db, orgId: string): Promise<Count> {
  const at = performance.now()
  const most = ((await pending.findLimit(tx, orgId)) ?? 0) * perWaiting
  const jobs = await pending.count(tx, orgId, most)
  const took = performance.now() - at
  return { most, jobs, at: performance.now(), freshMs: Math.max(freshMs, took / mostTime) }
}

const full = (most: number) =>
  new Problem(
    429,
    'rate_limited',
    `Your plan allows ${most} jobs that have not ended, including future jobs. Cancel jobs, or try again later.`,
    { details: { limit: 'waiting_jobs', max: most }, retryAfter: 60 },
  )
