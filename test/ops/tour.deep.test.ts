import { test } from 'tap'
import { filmsWork } from '../app/product/films-work.ts'
import { imagesWork } from '../app/product/images-work.ts'
import { knowledgeWorks } from '../app/product/knowledge-work.ts'
import { rentalWorks } from '../app/product/rental-works.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'
import { until } from '../support/until.ts'

test('a tour that did not come to its end is begun again by the next start, and only then', async (t) => {
  const data = await dataFolder(t)
  const port = await freePort()
  const tour = async (environment: Record<string, string>, told: string) => {
    const stack = new Stack(data, port, { TOUR: 'true', ...environment })
    await stack.ready()
    await until(() => stack.output.includes(told), { what: told, timeout: 180_000 })
    t.same(await stack.stop('SIGTERM'), [0, null])
    return stack.output
  }
  await tour({ FFMPEG_PATH: '/no/such/ffmpeg' }, 'the next start runs it again')
  t.match(await tour({}, 'tour         done'), /tour +watch: open http/)
  const third = new Stack(data, port, { TOUR: 'true' })
  await third.ready()
  await third.stop('SIGTERM')
  t.notMatch(third.output, /tour/)
})

test('products that are built on a fresh installation work', async (t) => {
  const folder = await dataFolder(t)
  const stack = new Stack(folder, await freePort(), { OUTBOUND_ALLOWED: '127.0.0.1/32', WEBHOOK_HTTP: 'true' })
  const facts = await stack.ready()
  await t.test('a product that is built on it works', (t) => rentalWorks(t, facts))
  await t.test('so do its films, broadcasts and rooms', (t) => filmsWork(t, facts, folder))
  await t.test('so does what it knows, and of whom', (t) => knowledgeWorks(t, facts))
  await t.test('so do the photos of its rides', (t) => imagesWork(t, facts))
  t.same(await stack.stop('SIGTERM'), [0, null])
})
