import t from 'tap'
import { closeAll, closeTogether } from '../../workers/closing.ts'

t.test(
  'each step of a stop is taken, whatever became of those before it, and those that failed are named',
  async (t) => {
    const taken: string[] = []
    const step = (name: string, fails = false) =>
      [
        name,
        async () => {
          taken.push(name)
          if (fails) throw new Error('Not running')
        },
      ] as const
    t.strictSame(await closeAll([step('fleet'), step('pools', true), step('metrics'), step('database')]), ['pools'])
    t.strictSame(taken, ['fleet', 'pools', 'metrics', 'database'])
    const atOnce = () => {
      throw new Error('before any promise')
    }
    t.strictSame(await closeAll([['at once', atOnce], step('next')]), ['at once'])
  },
)

t.test('what is closed together is told at once, and waited for whatever becomes of the others', async (t) => {
  const slow = Promise.withResolvers<void>()
  const told: string[] = []
  const closing = closeTogether([
    async () => {
      told.push('late pools')
      throw new Error('no grace')
    },
    async () => {
      told.push('fleet')
      await slow.promise
      told.push('drained')
    },
  ])
  t.strictSame(told, ['late pools', 'fleet'])
  slow.resolve()
  await t.rejects(closing, { message: 'no grace' })
  t.strictSame(told, ['late pools', 'fleet', 'drained'])
})
