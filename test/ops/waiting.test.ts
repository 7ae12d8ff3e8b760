import t from 'tap'
import { withProgress } from '../../ops/start/waiting.ts'
import { until } from '../support/until.ts'

t.test('a wait is told at its begin and again while it lasts, with what is left of it; then no more', async (t) => {
  const lines = t.capture(process.stdout, 'write')
  const left = ['ingress', 'workers']
  const said = () => lines().map(({ args }) => String(args[0]))
  const told: string[] = []
  const over = Promise.withResolvers<string>()
  const work = withProgress(() => `starting ${left.join(', ')}`, over.promise, 10)
  const hears = (text: RegExp) =>
    until(() => {
      told.push(...said())
      return told.some((line) => text.test(line))
    })
  await hears(/starting ingress, workers, for \d+ s now/)
  left.shift()
  await hears(/starting workers, for \d+ s now/)
  over.resolve('done')
  t.equal(await work, 'done')
  t.match(told[0], /millrace +starting ingress, workers\n/)
  await t.rejects(withProgress('migrating', Promise.reject(new Error('refused'))), { message: 'refused' })
})
