import { test } from 'tap'
import { filmsWork } from '../app/product/films-work.ts'
import { knowledgeWorks } from '../app/product/knowledge-work.ts'
import { rentalWorks } from '../app/product/rental-works.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'
import { until } from '../support/until.ts'

test('the tour of a fresh folder comes to its end and says where to watch', async (t) => {
  const folder = await dataFolder(t)
  const stack = new Stack(folder, await freePort(), {
    TOUR: 'true',
    OUTBOUND_ALLOWED: '127.0.0.1/32',
    WEBHOOK_HTTP: 'true',
  })
  const facts = await stack.ready()
  await until(() => stack.output.includes('tour         done'), { what: 'the tour is done', timeout: 400_000 })
  t.match(stack.output, /tour +wiki: an article without evidence was rejected; with a snapshot/)
  t.match(stack.output, /tour +watch: open http/)
  await t.test('a product that is built on it works', (t) => rentalWorks(t, facts))
  await t.test('so do its films, broadcasts and rooms', (t) => filmsWork(t, facts, folder))
  await t.test('so does what it knows, and of whom', (t) => knowledgeWorks(t, facts))
  t.same(await stack.stop('SIGTERM'), [0, null])
})
