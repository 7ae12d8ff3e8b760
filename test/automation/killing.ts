import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import type { TestScope } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { automating, job, publishWorkflow } from './stack.ts'

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** Starts a worker. `begun` counts its jobs. */
async function startWorker(t: TestScope, databaseUrl: string) {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, databaseUrl]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const state = { begun: 0, kill }
  await new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'ready') resolve()
      else state.begun++
    })
  })
  return state
}

const Found = z.object({
  waiting: z.number(),
  done: z.number(),
  jobs: z.number(),
  events: z.number(),
  linked: z.number(),
})

/** Kills a worker in each round while it performs actions. Every action must be performed once. */
export async function killInRounds(t: TestScope & { same(a: unknown, b: unknown): unknown }, rounds: number) {
  const { db, databaseUrl, owner } = await automating(t)
  const one = await owner()
  await publishWorkflow(one)
  await one.rule({ event: 'files.object.clean', action: job(), max_per_minute: 6_000 })
  const action = { type: 'workflow', workflow: 'goodbye', user_id: 'user-{{event.data.byte_size}}' }
  await one.rule({ event: 'files.object.clean', action, max_per_minute: 6_000 })
  const find = () =>
    db.one(sql.type(Found)`
      select count(*) filter (where status = 'waiting') as waiting, count(*) filter (where status = 'done') as done,
        (select count(*) from work.jobs where org_id = ${one.orgId}) as jobs,
        (select count(*) from notify.events where org_id = ${one.orgId}) as events,
        count(*) filter (where exists (select from work.jobs as j where j.id = r.result_id)
          or exists (select from notify.events as e where e.id = r.result_id)) as linked
      from automation.runs as r where org_id = ${one.orgId}`)
  const perRound = 200
  for (let round = 0; round < rounds; round++) {
    await one.emitMany(
      Array.from({ length: perRound }, (_, n) => ({
        ...({ type: 'files.object.clean' } as const),
        data: { byte_size: round * perRound + n },
      })),
    )
    const worker = await startWorker(t, databaseUrl)
    await until(() => worker.begun > round % 3, { what: 'jobs have begun', every: 1 })
    await worker.kill()
    // These deaths have no cause in a job. After three of them, a job that ran each time would fail.
    await db.query(sql.typeAlias('void')`delete from jobs.crashes`)
  }
  await startWorker(t, databaseUrl)
  await until(async () => (await find()).waiting === 0, { timeout: 120_000, what: 'no run waits' })
  const all = rounds * perRound
  t.same(await find(), { waiting: 0, done: 2 * all, jobs: all, events: all, linked: 2 * all })
}
