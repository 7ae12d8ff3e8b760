import { hostname } from 'node:os'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { wake } from '#sql/jobs/actions.ts'
import * as orders from '#sql/jobs/controls.ts'
import { setFetches } from '#sql/jobs/workers.ts'
import { settle } from '#tasks/jobs/controls.ts'
import { type PoolName, poolSchema } from '#tasks/queue/pools.ts'

/** What one pool's worker must heed before it fetches a job, and before it runs one. */
export interface Gate {
  /** The pool is paused or the host is drained: nothing may be fetched. */
  shut: boolean
  /** Paused tasks of the pool. */
  paused: ReadonlySet<string>
  /** The name under which the worker behind it locks jobs, once it has one. */
  lockedBy: string
}

/** The orders of operators, as this process knows them. */
export interface Orders {
  /** The gate of a pool; it changes as orders do. */
  gateOf(pool: PoolName): Gate
  close(): void
}

/** How often orders are looked up: so long may a worker not know of one. */
const lookMs = 700

/** How often the jobs of paused tasks are gathered that were added since. */
const gatherMs = 10_000

/** How long after a change of a pool's pauses its jobs are looked over again: another worker may not have known of it. */
const restlessMs = 60_000

interface Watched {
  gate: Gate
  /** Whether the worker is on record as fetching jobs. */
  fetches: boolean
  /** The paused tasks as they were last heeded. */
  heeded: string
  changedAt: number
  settledAt: number
  settling: boolean
}

/** Looks up what operators have ordered, and then again and again; while the database is away the last orders hold. */
export async function followOrders(db: DatabasePool, pools: readonly PoolName[]): Promise<Orders> {
  const host = hostname()
  const watched = new Map<PoolName, Watched>()
  for (const pool of pools) {
    const gate = { shut: false, paused: new Set<string>(), lockedBy: '' }
    // Jobs may be parked whose task was resumed while no worker lived.
    watched.set(pool, { gate, fetches: true, heeded: 'unknown', changedAt: 0, settledAt: 0, settling: false })
  }

  const look = async () => {
    const { pauses, draining } = await orders.standing(db, host)
    for (const [pool, each] of watched) {
      const mine = pauses.filter((pause) => pause.pool === pool)
      await heed(
        pool,
        each,
        draining || mine.some(({ task }) => task === ''),
        mine.map(({ task }) => task).filter(Boolean),
      )
    }
  }

  const heed = async (pool: PoolName, each: Watched, shut: boolean, tasks: string[]) => {
    heedTasks(pool, each, tasks)
    const { gate } = each
    if (gate.shut !== shut) {
      log.info({ pool }, shut ? 'fetches no jobs: paused or drained' : 'fetches jobs again')
      gate.shut = shut
      if (!shut) await wake(db, { pool, schema: poolSchema(pool) }, 1_000)
    }
    if (each.fetches === shut && gate.lockedBy && (await setFetches(db, gate.lockedBy, !shut))) each.fetches = !shut
  }

  const heedTasks = (pool: PoolName, each: Watched, tasks: string[]) => {
    const now = performance.now()
    const wanted = tasks.join()
    if (each.heeded !== wanted) {
      each.gate.paused = new Set(tasks)
      each.heeded = wanted
      each.changedAt = now
      each.settledAt = Number.NEGATIVE_INFINITY
    }
    const restless = tasks.length > 0 || now - each.changedAt < restlessMs
    if (restless && !each.settling && now - each.settledAt > gatherMs) gather(pool, each)
  }

  const gather = (pool: PoolName, each: Watched) => {
    each.settling = true
    settle(db, pool)
      .then(() => {
        each.settledAt = performance.now()
      }, quietly)
      .finally(() => {
        each.settling = false
      })
  }

  await look()
  let looking = false
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    look()
      .catch(quietly)
      .finally(() => {
        looking = false
      })
  }, lookMs)

  return {
    gateOf: (pool) => (watched.get(pool) as Watched).gate,
    close: () => clearInterval(timer),
  }
}

const quietly = (error: unknown) => log.debug({ err: describe(error) }, 'orders could not be looked up')
