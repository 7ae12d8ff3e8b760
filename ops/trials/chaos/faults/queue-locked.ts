import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { sql } from '#sql/db.ts'
import { jobsTable } from '#sql/jobs/graphile-schema.ts'
import { poolSchema } from '#tasks/pools.ts'
import { enqueueMany } from '#tasks/queue/enqueue.ts'
import { type Fault, type FaultContext, waitUntil } from '../fault.ts'
import type { Stage } from '../stage.ts'
import { hooked } from '../work.ts'

/** Duration of the lock in milliseconds, and timeout in milliseconds for its pool to work as before. */
const lockedMs = 25_000
const goesOnMs = 2_000

/** Number of the pool's jobs that become due during the lock. */
const waiting = 100

const schema = poolSchema(hooked.pool)

export const queueLocked: Fault = {
  name: 'queue-locked',
  what: `the table of the pool ${hooked.pool} locked for ${lockedMs / 1000} s`,
  limit: () => goesOnMs,
  unseen: true,
  async strike(arena) {
    const { stage } = arena
    const pids = stage.workers.map(({ pid }) => pid)
    const without = await latencies(arena, lockedMs)
    await enqueueMany(stage.db, hooked, Array(waiting).fill({}), { at: new Date(Date.now() + 1_000) })
    const locker = await lock(stage)
    const beside = await latencies(arena, lockedMs)
    await locker.end()
    const begun = performance.now()
    await waitUntil('the locked pool continues', async () => (await isDone(stage)) || undefined)
    const recovery = performance.now() - begun
    const ended = pids.filter((pid, i) => pid !== stage.workers[i]?.pid).length
    return { recovery, broken: [...slowdown(without, beside), ...(ended > 0 ? [`${ended} workers ended`] : [])] }
  },
}

async function lock({ url }: Stage): Promise<Client> {
  const locker = new Client({ connectionString: url })
  await locker.connect()
  await locker.query('begin')
  await locker.query(`lock table ${schema}._private_jobs in share mode`)
  return locker
}

/**
 * Returns the times in milliseconds from request to response through a job of another pool. They are measured one after
 * another for a while.
 */
async function latencies({ stage: { base, key } }: FaultContext, ms: number): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const taken: number[] = []
  for (const end = performance.now() + ms; performance.now() < end; await pause(50)) {
    const begun = performance.now()
    const body = JSON.stringify({ word: `beside ${begun}` })
    const answer = await fetch(`${base}/v1/chaos/questions`, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    taken.push(answer.ok ? performance.now() - begun : Number.POSITIVE_INFINITY)
  }
  return taken.toSorted((a, b) => a - b)
}

const p99 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY

/** Normal variation of a p99 from one half minute to the next. */
const swing = (ms: number) => 2 * ms + 100

function slowdown(without: readonly number[], beside: readonly number[]): string[] {
  const [before, during] = [p99(without), p99(beside)].map(Math.round) as [number, number]
  return during <= swing(before) ? [] : [`p99 of another pool was ${during} ms during the lock, ${before} ms without`]
}

const isDone = async ({ db }: Stage) =>
  !(await db.exists(sql.unsafe`
    select id from ${jobsTable({ schema })} where run_at <= now() and (is_available or locked_at is not null)`))
