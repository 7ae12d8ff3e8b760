import t from 'tap'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import { until } from '../support/until.ts'
import { begun, canEnd, type work } from './threads/given.ts'

const module = new URL('./threads/given.ts', import.meta.url)

function pool(t: Tap, limits: Partial<Parameters<typeof threadPool>[1]> = {}) {
  const threads = threadPool<typeof work>(module, { threads: 1, seconds: 60, megabytes: 64, ...limits })
  t.teardown(() => threads.close())
  return threads
}

type Tap = { teardown(end: () => Promise<void>): void }

t.test('work is done in a thread that has no environment', async (t) => {
  const threads = pool(t)
  t.equal(await threads.run({ sum: new Uint8Array([1, 2, 3]) }), 6)
  t.same(await threads.run('environment'), [])
  await t.rejects(threads.run('throw'), { name: 'RangeError', message: 'thrown in the thread' })
})

t.test('what takes too long is ended, and the event loop turns meanwhile', async (t) => {
  const threads = pool(t, { seconds: 1 })
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  t.teardown(() => clearInterval(counting))
  await t.rejects(threads.run('spin'), { name: 'ThreadLimitError', limit: 'time' })
  t.ok(turns > 10, `it turned ${turns} times`)
  t.equal(await threads.run({ sum: new Uint8Array([4]) }), 4, 'the next one has a thread')
})

t.test('what takes too much memory is ended alone', async (t) => {
  const threads = pool(t)
  await t.rejects(threads.run('fill'), { name: 'ThreadLimitError', limit: 'memory' })
  t.equal(await threads.run({ sum: new Uint8Array([4]) }), 4)
})

t.test('what waits loses no time, may be given up, and is refused when too much waits', async (t) => {
  const threads = pool(t, { seconds: 1, waiting: 2 })
  const first = threads.run('spin')
  const given = new AbortController()
  const second = threads.run('spin', given.signal)
  const third = threads.run({ sum: new Uint8Array([5]) })
  await t.rejects(threads.run('spin'), new ThreadLimitError('waiting', 'Too many tasks are waiting for a thread.'))
  given.abort(new Error('given up'))
  await t.rejects(second, { message: 'given up' })
  await t.rejects(first, { name: 'ThreadLimitError', limit: 'time' })
  t.equal(await third, 5)
})

t.test('a thread that dies fails its task only', async (t) => {
  const threads = pool(t)
  await t.rejects(threads.run('exit'))
  t.equal(await threads.run({ sum: new Uint8Array([4]) }), 4)
})

t.test('a module that cannot be loaded fails its tasks, and the process goes on', async (t) => {
  const broken = new URL('./threads/unloadable.ts', import.meta.url)
  const threads = threadPool<(given: number) => Promise<number>>(broken, { threads: 1, seconds: 60, megabytes: 64 })
  t.teardown(() => threads.close())
  for (const given of [1, 2]) await t.rejects(threads.run(given), { message: 'its files are missing' })
  await Promise.all([3, 4].map((given) => t.rejects(threads.run(given), { message: 'its files are missing' })))
  await t.rejects(threads.run(5, AbortSignal.abort(new Error('gone'))), { message: 'gone' })
})

t.test('a task whose caller goes away may be finished, so that its thread stays', async (t) => {
  for (const finishesAborted of [true, false]) {
    const threads = pool(t, { finishesAborted })
    const before = await threads.run('id')
    const given = new AbortController()
    const held = new Int32Array(new SharedArrayBuffer(8))
    const gone = t.rejects(threads.run({ held }, given.signal), { message: 'gone' })
    await until(() => Atomics.load(held, begun) === 1, { what: 'the task is in progress' })
    given.abort(new Error('gone'))
    await gone
    Atomics.store(held, canEnd, 1)
    Atomics.notify(held, canEnd)
    t.equal((await threads.run('id')) === before, finishesAborted)
  }
})

t.test('what is under way when the threads are closed rejects', async (t) => {
  const threads = pool(t)
  await threads.run({ sum: new Uint8Array() })
  const never = t.rejects(threads.run('spin'))
  await threads.run({ sum: new Uint8Array() }, AbortSignal.timeout(1)).catch(() => {})
  await threads.close()
  await never
})
