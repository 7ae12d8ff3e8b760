import t from 'tap'
import { runEvery } from '#lib/every.ts'

t.test('a turn that comes while the last one is under way is left out; stop waits for it', async (t) => {
  let begun = 0
  const first = Promise.withResolvers<void>()
  const seen = Promise.withResolvers<void>()
  const timer = runEvery(
    1,
    async () => {
      begun++
      seen.resolve()
      await first.promise
    },
    t.error,
  )
  await seen.promise
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(begun, 1)
  let stopped = false
  const stopping = timer.stop().then(() => {
    stopped = true
  })
  await Promise.resolve()
  t.equal(stopped, false)
  first.resolve()
  await stopping
})

t.test('an error is given to whoever asked, and the next turn comes', async (t) => {
  const second = Promise.withResolvers<void>()
  const errors: string[] = []
  let turns = 0
  const work = async () => {
    turns++
    if (turns === 2) second.resolve()
    throw new Error(`turn ${turns}`)
  }
  const timer = runEvery(1, work, ({ message }) => errors.push(message))
  await second.promise
  await timer.stop()
  t.strictSame(errors.slice(0, 2), ['turn 1', 'turn 2'])
})
