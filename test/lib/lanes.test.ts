import { test } from 'tap'
import { inLanes } from '#lib/lanes.ts'

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

test('lanes do each item once, no more of them at a time than there are lanes', async (t) => {
  const done: number[] = []
  let [now, most] = [0, 0]
  await inLanes([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++now)
    await new Promise(setImmediate)
    now -= 1
    done.push(item)
  })
  t.strictSame(done.sort(), [1, 2, 3, 4, 5, 6, 7])
  t.equal(most, 3)
})

test('the first failure aborts the other lanes, begins nothing more, and is thrown when all have ended', async (t) => {
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
  await t.rejects(inLanes([1, 2, 3, 4, 5], 3, work), { message: 'the disk is full' })
  t.strictSame(begun, [1, 2, 3])
  t.strictSame(ended, [1, 3], 'nothing goes on behind the one who was told of the failure')
})

test('a signal from outside ends every lane, and its reason is what is thrown', async (t) => {
  const outside = new AbortController()
  const begun: number[] = []
  const all = inLanes(
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
    inLanes([9], 1, async (item) => void begun.push(item), outside.signal),
    { message: 'shutting down' },
  )
  t.strictSame(begun, [1, 2])
})
