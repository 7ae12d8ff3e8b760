import { test } from 'tap'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'
import { until } from '../support/until.ts'

test('the tour of a fresh folder comes to its end and says where to watch', async (t) => {
  const stack = new Stack(await dataFolder(t), await freePort(), { TOUR: 'true', OUTBOUND_ALLOWED: '127.0.0.1/32' })
  await stack.ready()
  await until(() => stack.output.includes('tour         done'), { what: 'the tour is done', timeout: 400_000 })
  t.match(stack.output, /tour +wiki: an article without evidence was rejected; with a snapshot/)
  t.match(stack.output, /tour +watch: open http/)
  t.same(await stack.stop('SIGTERM'), [0, null])
})
