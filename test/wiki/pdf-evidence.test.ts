import '../support/webhooks-environment.ts'
import t from 'tap'
import { pageOf, pdf } from '../support/pdf.ts'
import { evidenceStack } from './evidence-stack.ts'

t.setTimeout(240_000)
const stack = await evidenceStack(t)
const { pages, done, source, snapshot, base } = stack
await stack.startWorkers()
const serves = (path: string, bytes: Buffer) => {
  pages[path] = (_, res) => res.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes)
}
const report = pdf([
  pageOf(['Report of the commission', 'The bridge is made of steel.']),
  pageOf(['It was opened in 1932 by the premier.', 'Its span is 503 metres.', 'A toll was asked for.']),
])

t.test('a claim is proven by a PDF, and told with page and paragraph', async (t) => {
  serves('/report.pdf', report)
  const id = await source('/report.pdf')
  const taken = await snapshot(id)
  t.match(taken, { status: 'ok', content_type: 'application/pdf' })
  t.match((await done(`GET /v1/wiki/snapshots/${taken.id}/text`)).text, 'Its span is 503 metres.')
  const entity = await done('POST /v1/wiki/entities', { type: 'bridge', labels: { en: 'The bridge' } })
  const { id: article } = await done('POST /v1/wiki/articles', { title: 'The bridge', body: 'Its span.' })
  const claim = await done('POST /v1/wiki/claims', {
    entity_id: entity.id,
    property: 'span',
    value: { type: 'quantity', content: '503', unit: 'm' },
    references: [{ source_id: id, quote: 'Its span is 503 metres' }],
    article_ids: [article],
  })
  t.match(claim, { status: 'supported', references: [{ quote_verified: true, page: 2, paragraph: 2, problem: null }] })
  const { slug } = await done(`PUT /v1/wiki/articles/${article}`, { status: 'published', base_version: 1 })
  const { text } = await base.ask(`GET /wiki/${slug}`)
  t.match(text, /report\.pdf#page=2"[^>]*>/)
  t.match(text, /, page 2/)
})

t.test('a quote that waits for its snapshot is found with its page, too; one on no page is no proof', async (t) => {
  serves('/late.pdf', report)
  const id = await source('/late.pdf')
  const pending = await done(`POST /v1/wiki/sources/${id}/snapshots`, {})
  const entity = await done('POST /v1/wiki/entities', { type: 'bridge', labels: { en: 'The bridge' } })
  const made = await done('POST /v1/wiki/claims', {
    entity_id: entity.id,
    property: 'material',
    value: { type: 'string', content: 'steel' },
    references: [
      { source_id: id, quote: 'The bridge is made of steel' },
      { source_id: id, quote: 'The bridge is made of old steel' },
    ],
  })
  await stack.ended(pending.id)
  t.match((await done(`GET /v1/wiki/claims/${made.id}`)).references, [
    { quote_verified: true, page: 1, paragraph: 2 },
    { quote_verified: false, page: null, paragraph: null, problem: 'quote_not_found' },
  ])
})

t.test('where what a document says may end its pages, its quotes are found and are on none', async (t) => {
  const feeds = { '~': ' \f ' }
  const said = ['Before.', ...Array.from({ length: 6 }, () => '~~~~~~~~~~'), 'It is painted ~ grey.']
  serves('/feeds.pdf', pdf([pageOf(said), pageOf(['It is closed.'])], undefined, feeds))
  const id = await source('/feeds.pdf')
  t.match(await snapshot(id), { status: 'ok', content_type: 'application/pdf' })
  const entity = await done('POST /v1/wiki/entities', { type: 'bridge', labels: { en: 'The bridge' } })
  const { references } = await done('POST /v1/wiki/claims', {
    entity_id: entity.id,
    property: 'colour',
    value: { type: 'string', content: 'grey' },
    references: [{ source_id: id, quote: 'It is painted grey' }],
  })
  t.match(references, [{ quote_verified: true, page: null, paragraph: null, problem: null }])
})

t.test('a document that is damaged or cut off fails by itself, and says so', async (t) => {
  serves('/bad.pdf', Buffer.from('%PDF-1.7\nnothing of the kind'))
  t.match(await snapshot(await source('/bad.pdf')), { status: 'failed', error_code: 'unreadable' })
  serves('/cut.pdf', report.subarray(0, 300))
  t.match(await snapshot(await source('/cut.pdf')), { status: 'failed' })
})
