import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import t from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import { transfers } from '../../ingress/files/delivery/transfers.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { layCable } from '../support/cable.ts'
import { until } from '../support/until.ts'
import { storeKeys, videoStack } from '../support/video-stack.ts'
import { publisher } from './deliverable.ts'

t.setTimeout(300_000)
const stack = await videoStack(t, { areas: ['files'] })
const mine = await publisher(stack)
const cable = await layCable(t, stack.store.url)
const endpoint = new URL(cable.url).origin
const storage = new Storage({ endpoint, publicEndpoint: endpoint, ...storeKeys })
const ingress = await stack.another(stack.db, { services: [provide(services.storage, storage)] })
const large = Buffer.alloc(24 * 1024 ** 2, 'all of this ')

async function open(path: string): Promise<IncomingMessage> {
  const asked = request(ingress.url + path, { agent: false })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return answer.on('error', () => {})
}

const count = () => ingress.app.services(transfers).count()
const ended = (what: string) => until(() => count() === 0, { what, timeout: 150_000, every: 500 })

t.test('a store that stops to send holds no place for more than a minute', async (t) => {
  const id = await mine.store(large, { visibility: 'public' })
  const answer = await open(`/f/${id}/note.txt`)
  await once(answer, 'readable')
  cable.hang()
  answer.resume()
  await ended('the response ends')
  t.notOk(answer.complete)
})

t.test('a client that reads nothing, or a little at a time, is disconnected', async (t) => {
  cable.mend()
  const id = await mine.store(large, { visibility: 'public' })
  const [none, little] = [await open(`/f/${id}/note.txt`), await open(`/f/${id}/note.txt`)]
  const sip = setInterval(() => little.read(16), 1_000)
  t.teardown(() => clearInterval(sip))
  await ended('both responses end')
  none.resume()
  await until(() => none.closed, { what: 'the client notices it' })
  t.notOk(none.complete)
})
