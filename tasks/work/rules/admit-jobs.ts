import type { Db } from '#sql/db.ts'
import * as keys from '#sql/work/keys.ts'
import * as turns from '#sql/work/turns.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { callSignature } from './call-signature.ts'

const periodMs = { second: 1_000, minute: 60_000, hour: 3_600_000 } as const

type Keyed = turns.Queued & { concurrency_key: string | null; concurrency_limit: number | null }

/**
 * Starts jobs whose time has come, in the caller’s transaction: they join the line of their concurrency key, wait for
 * their slot of the rate, or go to the queue.
 */
export async function admitJobs(tx: Db, jobs: readonly Keyed[]): Promise<void> {
  const keyed = jobs.filter(({ concurrency_key }) => concurrency_key !== null)
  await turns.markHeld(
    tx,
    keyed.map(({ id }) => id),
  )
  await queueJobs(tx, [
    ...jobs.filter(({ concurrency_key }) => concurrency_key === null),
    ...(await takePlaces(tx, keyed)),
  ])
}

/** Gives free places of the keys of these waiting jobs to the oldest jobs. Returns the jobs with a new place. */
export async function takePlaces(
  tx: Db,
  held: readonly Pick<Keyed, 'org_id' | 'concurrency_key' | 'concurrency_limit'>[],
): Promise<readonly turns.Queued[]> {
  const limits = new Map<string, keys.NamedKey & { most: number }>()
  for (const { org_id, concurrency_key: key, concurrency_limit: most } of held)
    if (key !== null && most !== null) limits.set(`${org_id} ${key}`, { org_id, key, most })
  if (limits.size === 0) return []
  await keys.lockPlaces(tx, [...limits.values()])
  return await keys.fillPlaces(tx, [...limits.values()])
}

/** Locks the concurrency keys of these jobs that exist, in one order. */
export async function lockKeys(
  tx: Db,
  jobs: readonly { org_id: string; concurrency_key: string | null }[],
): Promise<void> {
  const named = jobs.flatMap(({ org_id, concurrency_key: key }) => (key === null ? [] : [{ org_id, key }]))
  if (named.length > 0) await keys.lockKnownPlaces(tx, named)
}

/** Gives the places that ended or returned jobs have left to the oldest jobs that wait for them. */
export async function refillPlaces(
  tx: Db,
  left: readonly { org_id: string; concurrency_key: string | null }[],
): Promise<void> {
  const freed = new Map<string, keys.NamedKey>()
  for (const { org_id, concurrency_key: key } of left) if (key !== null) freed.set(`${org_id} ${key}`, { org_id, key })
  if (freed.size === 0) return
  await keys.lockKnownPlaces(tx, [...freed.values()])
  await queueJobs(tx, await keys.fillPlaces(tx, [...freed.values()]))
}

/** Puts jobs in the queue, or makes them wait for their slot of the rate. */
export async function queueJobs(tx: Db, jobs: readonly turns.Queued[]): Promise<void> {
  const { now, later } = await takeSlots(tx, jobs)
  await turns.markPaced(tx, later)
  await turns.markReady(tx, await enqueueTurns(tx, now))
}

/** Adds an entry of the queue for the next turn of each job. */
export async function enqueueTurns(
  tx: Db,
  jobs: readonly Pick<turns.Queued, 'id' | 'org_id' | 'turn'>[],
): Promise<(turns.Turn & { queue_id: number })[]> {
  if (jobs.length === 0) return []
  const next = jobs.map(({ id, turn }) => ({ id, turn: turn + 1 }))
  const payloads = next.map(({ id, turn }) => ({ jobId: id, turn }))
  const ids = await enqueueMany(tx, callSignature, payloads, (i) => ({ orgId: jobs[i]?.org_id ?? '' }))
  return next.map((turn, i) => ({ ...turn, queue_id: Number(ids[i]) }))
}

/** Waits that are so short that the job starts immediately, in milliseconds. */
const negligibleMs = 3

interface Slots<J> {
  now: J[]
  later: { id: string; wait_ms: number }[]
}

/** Reserves a slot for each job with a rate key. Jobs of a key have slots in the given order, at equal intervals. */
export async function takeSlots<J extends turns.Queued>(tx: Db, jobs: readonly J[]): Promise<Slots<J>> {
  const rated = jobs.filter(({ rate_key }) => rate_key !== null)
  if (rated.length === 0) return { now: [...jobs], later: [] }
  const byKey = Map.groupBy(rated, ({ org_id, rate_key }) => `${org_id} ${rate_key}`)
  const spans = [...byKey.values()].map((group) => {
    const { org_id, rate_key, rate_limit } = group[0] as J
    return {
      org_id,
      key: rate_key as string,
      most: rate_limit as number,
      span_ms: group.reduce((sum, job) => sum + intervalOf(job), 0),
    }
  })
  const reserved = new Map<string, number>()
  for (const { org_id, key, wait_ms } of await keys.reserveSlots(tx, spans)) reserved.set(`${org_id} ${key}`, wait_ms)
  const slots: Slots<J> = { now: [], later: [] }
  for (const [name, group] of byKey) {
    let wait_ms = (reserved.get(name) ?? 0) - group.reduce((sum, job) => sum + intervalOf(job), 0)
    for (const job of group) {
      if (wait_ms <= negligibleMs) slots.now.push(job)
      else slots.later.push({ id: job.id, wait_ms })
      wait_ms += intervalOf(job)
    }
  }
  return { ...slots, now: [...jobs.filter(({ rate_key }) => rate_key === null), ...slots.now] }
}

/** Milliseconds between two jobs of a rate key. */
export const intervalOf = ({ rate_limit, rate_per }: Pick<turns.Queued, 'rate_limit' | 'rate_per'>): number =>
  rate_per === null || rate_limit === null ? 0 : periodMs[rate_per] / rate_limit
