import { test } from 'tap'
import { forEachConcurrently } from '#lib/concurrency.ts'

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

test('each item is worked on once, and no more at a time than the concurrency allows', async (t) => {
  const done: number[] = []
  let [now, most] = [0, 0]
  await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++now)
    await new Promise(setImmediate)
    now -= 1
    done.push(item)
  })
  t.strictSame(done.sort(), [1, 2, 3, 4, 5, 6, 7])
  t.equal(most, 3)
})

test('the first failure aborts the others, begins nothing more, and is thrown when all have ended', async (t) => {
  const begun: number[] = []
  const ended: number[] = []
  const work = async (item: number, signal: AbortSignal) => {
    begun.push(item)
    if (item === 2) throw new Error('the disk is full')
    try {
      await never(signal)
    } finally {
      await new Promise(setImmediate)
      ended.push(item)
    }
  }
  await t.rejects(forEachConcurrently([1, 2, 3, 4, 5], 3, work), { message: 'the disk is full' })
  t.strictSame(begun, [1, 2, 3])
  t.strictSame(ended, [1, 3], 'nothing goes on behind the one who was told of the failure')
})

test('a signal from outside ends all, and its reason is what is thrown', async (t) => {
  const outside = new AbortController()
  const begun: number[] = []
  const all = forEachConcurrently(
    [1, 2, 3],
    2,
    async (item, signal) => {
      begun.push(item)
      await never(signal)
    },
    outside.signal,
  )
  outside.abort(new Error('shutting down'))
  await t.rejects(all, { message: 'shutting down' })
  await t.rejects(
    forEachConcurrently([9], 1, async (item) => void begun.push(item), outside.signal),
    { message: 'shutting down' },
  )
  t.strictSame(begun, [1, 2])
})
