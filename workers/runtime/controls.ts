import { hostname } from 'node:os'
import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { wake } from '#sql/jobs/actions.ts'
import * as controls from '#sql/jobs/controls.ts'
import { setFetches } from '#sql/jobs/workers.ts'
import { applyPauses } from '#tasks/jobs/rules/controls.ts'
import { type PoolName, poolSchema } from '#tasks/pools.ts'

export interface Gate {
  /** True if the pool is paused or the host is drained. The worker then fetches no jobs. */
  shut: boolean
  paused: ReadonlySet<string>
  /**
   * Organisations that are being closed, with the time since the start of the closure in milliseconds. Their jobs do
   * not run.
   */
  closing: ReadonlyMap<string, number>
  moving: ReadonlySet<string>
  lockedBy: string
}

export interface Controls {
  /** Returns the gate of a pool. The gate changes with pauses and drains. */
  gateOf(pool: PoolName): Gate
  stop(): Promise<void>
}

/** Polling interval in milliseconds. A change can take this long to reach a worker. */
const pollMs = 700

const parkMs = 10_000

/**
 * Period in milliseconds after a change of a pool’s pauses in which its jobs are checked again. Another worker can
 * still use the old state.
 */
const recheckMs = 60_000

interface WatchedPool {
  gate: Gate
  fetches: boolean
  applied: string
  changedAt: number
  parkedAt: number
  parking: boolean
}

/** Polls pauses and drains that operators set. While the database is unavailable, the last known state applies. */
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
    // A task can have been resumed while no worker was running. Its jobs are then still parked.
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
      log.info({ pool }, shut ? 'fetching no jobs: paused or drained' : 'fetching jobs again')
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
  const polling = runEvery(pollMs, poll, quietly)
  return {
    gateOf: (pool) => (watched.get(pool) as WatchedPool).gate,
    stop: polling.stop,
  }
}

const quietly = (error: unknown) => log.debug({ err: describe(error) }, 'pauses and drains could not be polled')
