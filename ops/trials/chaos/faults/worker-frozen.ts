import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import { areTakenOver, type Fault, stopBusyWorker, waitUntil, withBusyWorker } from '../fault.ts'

export const workerFrozen: Fault = {
  name: 'worker-frozen',
  what: 'SIGSTOP of a worker, then SIGCONT',
  // Only the lease distinguishes a worker that is not responding from a dead worker.
  limit: ({ settings }) => settings.lease + 3_000,
  strike: (arena) =>
    withBusyWorker(arena, async (worker, pid) => {
      const { stage, freeze } = arena
      try {
        const stale = await stopBusyWorker(arena, pid)
        const begun = performance.now()
        await waitUntil('its jobs run elsewhere', () => areTakenOver(stage.db, stale))
        // Its jobs may have ended normally. Until the worker is declared lost, they belong to it.
        await waitUntil('the worker is declared lost', () => isLost(stage.db, pid))
        const recovery = performance.now() - begun
        await pause(Math.max(0, freeze - recovery))
        const before = await waitUntil('the database responds', () => lastEffect(stage.db))
        process.kill(pid, 'SIGCONT')
        await waitUntil('the stale worker ends itself', () => worker.pid !== pid || undefined)
        const late = await waitUntil('the database responds', () => effectsOf(stage.db, pid, before))
        return { recovery, broken: late > 0 ? [`the stale worker had ${late} effects after it continued`] : [] }
      } finally {
        if (worker.pid === pid) process.kill(pid, 'SIGCONT')
      }
    }),
}

const Figure = z.object({ number: z.number() })

const isLost = async (db: Db, pid: number) =>
  (await db.exists(sql.type(Figure)`select 1 as number from jobs.workers where pid = ${pid} and state = 'alive'`))
    ? undefined
    : true

const lastEffect = (db: Db) => db.oneFirst(sql.type(Figure)`select coalesce(max(id), 0) as number from chaos.effects`)

const effectsOf = (db: Db, pid: number, after: number) =>
  db.oneFirst(sql.type(Figure)`
    select count(*)::integer as number from chaos.effects where pid = ${pid} and id > ${after} and run_id is not null`)
