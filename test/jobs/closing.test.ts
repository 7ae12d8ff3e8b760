import t from 'tap'
import { closeAll } from '../../workers/closing.ts'

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
