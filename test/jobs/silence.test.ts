/** A queue library that no longer queries for jobs, and one that cannot query yet. */
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import type { AnyTask } from '#tasks/queue/task.ts'
import { startPool } from '../../workers/runtime/pool.ts'
import type { PoolContext } from '../../workers/runtime/pool-context.ts'
import type { QueueConnections } from '../../workers/runtime/queue-connections.ts'
import { QueuePool } from '../../workers/runtime/queue-pool.ts'

/** The library’s view: no pending migrations, the tasks, and no jobs. */
function rowsOf(text: string): object[] {
  if (text.includes('biggest_breaking_id')) return [{ id: 999_999, server_version_num: '180000' }]
  return text.includes('select id, identifier') ? [{ id: 1, identifier: 'test/nothing' }] : []
}

t.test('a pool whose registration takes long is not wedged, one that asks for nothing afterwards is', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const now = performance.now.bind(performance)
  let later = 0
  t.intercept(performance, 'now', { value: () => now() + later })
  const seconds = (count: number) => {
    for (let second = 0; second < count; second++) {
      later += 1_000
      mock.timers.tick(1_000)
    }
  }
  const asked: string[] = []
  const queue = new QueuePool(2, {
    schema: 'jobs_core',
    share: 2,
    ask: async ({ name, text }) => {
      if (name?.startsWith('get_job')) asked.push(name)
      return { rows: rowsOf(text), rowCount: 0 } as never
    },
    mayFetch: () => true,
    isOver: () => false,
  })
  const history = { statistics() {} }
  const context = { pool: 'core', running: new Set(), lockedBy: '', history } as unknown as PoolContext
  const deaths: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const asksToRegister = Promise.withResolvers<void>()
  const register = () => {
    asksToRegister.resolve()
    return promise
  }
  const task = { name: 'test/nothing', attempts: 1 } as unknown as AnyTask
  const connections = { admit() {} } as unknown as QueueConnections
  const settings = { concurrency: 1, fetchAhead: 0 }
  const onDeath = (why: string) => deaths.push(why)
  const starting = startPool({ connections, queue, settings, tasks: [task], context, register, onDeath })

  await asksToRegister.promise
  seconds(60)
  t.same([asked, deaths], [[], []], 'it asks for nothing before it is registered, and goes on')

  resolve()
  const worker = await starting
  t.teardown(() => worker.stop())
  while (asked.length === 0) await turn()
  later += 60_000
  seconds(20)
  t.same(deaths, [], 'a process that gets no processor is not silent for so long')
  seconds(1)
  t.match(deaths, ['the queue library of the core pool has not sent a query for 20 s'])
})
