import '../support/work-environment.ts'
import t from 'tap'
import { killWorkers } from './killing.ts'
import { workStack } from './stack.ts'

t.setTimeout(600_000)

t.test('20 killed workers lose no job, and repeat only requests under way', async (t) => {
  await killWorkers(t, await workStack(t), 20)
})
