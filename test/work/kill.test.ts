import '../support/work-environment.ts'
import t from 'tap'
import { killWorkers } from './killing.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)

t.test('killed workers lose no job, and repeat only requests under way', async (t) => {
  await killWorkers(t, await workStack(t), 2)
})
