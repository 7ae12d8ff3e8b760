/** A worker process for tests. `FLEET` contains the module of its tasks and its timeouts. */
import { run } from 'graphile-worker'
import { startTracing, tracing } from '#lib/telemetry/tracing.ts'
import { openPool } from '#sql/db.ts'
import { clearQueues } from '#tasks/jobs/clear-queues.ts'
import { rescue } from '#tasks/jobs/rescue.ts'
import { notifyDead } from '#tasks/queue/notify-dead.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import { shiftClock } from '../../ops/trials/chaos/clock.ts'
import { type Fleet, startFleet } from '../../workers/runtime/fleet.ts'
import { giveUp } from '../../workers/runtime/give-up.ts'
import { work } from '../jobs/work.ts'

const { url, stock, concurrency, fetchAhead, clock, ...settings } = JSON.parse(process.env.FLEET ?? '{}')
shiftClock(clock ?? 0)
const tasks: AnyTask[] = [...work, notifyDead, clearQueues, rescue]

await startTracing()
if (stock) await startStock()
else await startOurs()
console.log('ready')

async function startOurs(): Promise<void> {
  const db = await openPool(url, 4)
  const tools = {
    storage: undefined as never,
    certificates: undefined as never,
    async giveUp(name: string, envelope: Envelope, error: Error) {
      const task = tasks.find((candidate) => candidate.name === name)
      if (task) await giveUp(task, envelope, error, db)
    },
  }
  const plan = { pool: 'core' as const, settings: { concurrency, fetchAhead }, tasks, tools }
  const fleet = await startFleet(url, [plan], settings, (why) => {
    console.log(`lost: ${why}`)
    setTimeout(() => process.exit(1), 100)
  })
  process.on('SIGTERM', () => void stop(fleet))
}

async function stop(fleet: Fleet): Promise<void> {
  await fleet.stop()
  await tracing()?.stop()
  process.exit(0)
}

/** Starts the queue library with its default settings, for tests that show why Millrace’s differ. */
async function startStock(): Promise<void> {
  const db = await openPool(url, 4)
  const task =
    (body: AnyTask) =>
    async (column: unknown, { job }: { job: { attempts: number } }) => {
      const { payload } = column as { payload: unknown }
      const signal = new AbortController().signal
      await body.run(body.payload.parse(payload), { db, attempt: job.attempts, signal })
    }
  const runner = await run({
    connectionString: url,
    schema: 'jobs_core',
    concurrency,
    taskList: Object.fromEntries(work.map((body) => [body.name, task(body)])),
  })
  runner.promise.then(
    () => process.exit(0),
    () => process.exit(1),
  )
}
