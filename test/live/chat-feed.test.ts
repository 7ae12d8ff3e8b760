import t from 'tap'
import { until } from '../support/until.ts'

// Code of the browser has no declarations.
const { createFeed } = await import(String(new URL('../../ingress/live/chat/element/feed.js', import.meta.url)))

const sources: Source[] = []

class Source extends EventTarget {
  readyState = 0

  constructor() {
    super()
    sources.push(this)
  }

  fail(): void {
    this.readyState = 2
    this.dispatchEvent(new Event('error'))
  }

  close(): void {
    this.readyState = 2
  }
}

let status = 503
// Later test files of this process need the original functions.
const { EventSource, fetch } = globalThis
Object.assign(globalThis, { EventSource: Source, fetch: async () => new Response('', { status }) })
t.teardown(() => Object.assign(globalThis, { EventSource, fetch }))

t.test('a chat connects again after an error of the server, but not with a refused token', async (t) => {
  const ended: string[] = []
  const feed = createFeed({ changed() {}, message() {}, ended: (reason: string) => ended.push(reason) })
  t.teardown(() => feed.close())
  feed.open('https://example.com/chat/token')
  sources[0]?.fail()
  await until(async () => sources.length === 2, { what: 'the chat connects again' })
  t.same(ended, [])
  status = 403
  sources[1]?.fail()
  await until(async () => ended.length === 1, { what: 'the chat ends' })
  t.same(ended, ['refused'])
  t.equal(sources.length, 2)
})
