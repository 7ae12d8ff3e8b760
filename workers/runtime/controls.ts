import { hostname } from 'node:os'
import { describe } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { wake } from '#sql/jobs/actions.ts'
import * as controls from '#sql/jobs/controls.ts'
import { setFetches } from '#sql/jobs/workers.ts'
import { applyPauses } from '#tasks/jobs/rules/controls.ts'
import { type PoolName, poolSchema } from '#tasks/pools.ts'

/** What one pool's worker may fetch and run by the pauses and drains there are. */
export interface Gate {
  /** The pool is paused or the host is drained: nothing may be fetched. */
  shut: boolean
  /** Paused tasks of the pool. */
  paused: ReadonlySet<string>
  /** Organisations that are closing, and for how many milliseconds: nothing is done for them. */
  closing: ReadonlyMap<string, number>
  /** Organisations that are held for the seconds of a move. */
  moving: ReadonlySet<string>
  /** The name under which the worker behind it locks jobs, once it has one. */
  lockedBy: string
}

/** The pauses and drains of operators, as this process knows them. */
export interface Controls {
  /** The gate of a pool; it changes as pauses and drains do. */
  gateOf(pool: PoolName): Gate
  stop(): Promise<void>
}

/** How often pauses and drains are polled: so long may a worker not know of one. */
const pollMs = 700

/** How often jobs of paused tasks are parked that were added since. */
const parkMs = 10_000

/** For how long after a change of a pool's pauses its jobs are checked again: another worker may not have known of it. */
const recheckMs = 60_000

interface WatchedPool {
  gate: Gate
  /** Whether the worker is on record as fetching jobs. */
  fetches: boolean
  /** The paused tasks as they were last applied. */
  applied: string
  changedAt: number
  parkedAt: number
  parking: boolean
}

/** Polls what operators have paused and drained; while the database is away, what was known last holds. */
export async function followControls(db: DatabasePool, pools: readonly PoolName[]): Promise<Controls> {
  const host = hostname()
  const watched = new Map<PoolName, WatchedPool>()
  for (const pool of pools) {
    const gate = {
      shut: false,
      paused: new Set<string>(),
      closing: new Map<string, number>(),
      moving: new Set<string>(),
      lockedBy: '',
    }
    // Jobs may be parked whose task was resumed while no worker lived.
    watched.set(pool, { gate, fetches: true, applied: 'unknown', changedAt: 0, parkedAt: 0, parking: false })
  }

  const poll = async () => {
    const { pauses, draining, closing, moving } = await controls.current(db, host)
    const closed = new Map(closing)
    const held = new Set(moving)
    for (const [pool, each] of watched) {
      each.gate.closing = closed
      each.gate.moving = held
      const mine = pauses.filter((pause) => pause.pool === pool)
      const tasks = mine.map(({ task }) => task).filter(Boolean)
      applyToTasks(pool, each, tasks)
      await applyToPool(pool, each, draining || mine.some(({ task }) => task === ''))
    }
  }

  const applyToPool = async (pool: PoolName, each: WatchedPool, shut: boolean) => {
    const { gate } = each
    if (gate.shut !== shut) {
      log.info({ pool }, shut ? 'fetches no jobs: paused or drained' : 'fetches jobs again')
      gate.shut = shut
      if (!shut) await wake(db, { pool, schema: poolSchema(pool) }, 1_000)
    }
    if (each.fetches === shut && gate.lockedBy && (await setFetches(db, gate.lockedBy, !shut))) each.fetches = !shut
  }

  const applyToTasks = (pool: PoolName, each: WatchedPool, tasks: string[]) => {
    const now = performance.now()
    const wanted = tasks.join()
    if (each.applied !== wanted) {
      each.gate.paused = new Set(tasks)
      each.applied = wanted
      each.changedAt = now
      each.parkedAt = Number.NEGATIVE_INFINITY
    }
    const due = tasks.length > 0 || now - each.changedAt < recheckMs
    if (due && !each.parking && now - each.parkedAt > parkMs) park(pool, each)
  }

  const park = (pool: PoolName, each: WatchedPool) => {
    each.parking = true
    applyPauses(db, pool)
      .then(() => {
        each.parkedAt = performance.now()
      }, quietly)
      .finally(() => {
        each.parking = false
      })
  }

  await poll()
  const polling = every(pollMs, poll, quietly)
  return {
    gateOf: (pool) => (watched.get(pool) as WatchedPool).gate,
    stop: polling.stop,
  }
}

const quietly = (error: unknown) => log.debug({ err: describe(error) }, 'pauses and drains could not be polled')
