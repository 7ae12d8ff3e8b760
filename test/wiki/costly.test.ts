import t from 'tap'
import { toHtml, toPlain } from '../../ingress/wiki/render-markdown.ts'
import { authoring } from './authors.ts'
import { proveBy } from './proven.ts'

/** The organisation of the texts. */
const owner = 'a'

t.test('long articles are rendered as short ones are', async (t) => {
  const text = 'It is **so**.\n\n'.repeat(2_000)
  t.equal((await toHtml(owner, text, new Map())).match(/<p>It is <strong>so<\/strong>\.<\/p>/g)?.length, 2_000)
  t.match((await toPlain(owner, text)).text, /^It is so\.\nIt is so\./)
})

t.test('the event loop turns while a costly article is rendered', async (t) => {
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  t.teardown(() => clearInterval(counting))
  const html = await toHtml(owner, `<${'['.repeat(190_000)}`, new Map())
  t.match(html, /&lt;\[\[/, 'as it is written, or rendered, which is the same here')
  t.ok(turns > 10, `it turned ${turns} times`)
})

const { db, one, write, read, draft, ingress, published } = await authoring(t)
const costly = `<${'['.repeat(190_000)}`
const long = 'It was **opened** in 1932.\n\n'.repeat(500)
/** Keeps the thread busy with this many texts. */
const busy = (count: number, text: string, orgId = one.org.id) =>
  Promise.all(Array.from({ length: count }, () => toPlain(orgId, text)))

t.test('a table that leaves out thousands of cells is shown as it is written, a common one as a table', async (t) => {
  const table = (columns: number, row: string, rows: number) =>
    `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${`${row}\n`.repeat(rows)}\n`
  const cells = async (text: string) => (await toHtml(owner, text, new Map())).match(/<td>/g)?.length ?? 0
  t.equal(await cells(table(180, 'a', 360)), 0)
  t.equal(await cells(`> ${table(180, 'a', 360).replaceAll('\n', '\n> ')}`), 0)
  t.equal(await cells(table(50, 'a', 10).repeat(6)), 2_000, 'four of six')
  t.equal(await cells(table(10, `${'|1'.repeat(10)}|`, 400)), 4_000)
  t.equal(await cells(table(3, '1|2|3', 1_000)), 3_000)
  t.notMatch((await toPlain(owner, table(180, 'a', 360))).text, /\n\n/)
})

t.test('what would be more than 1 MiB of HTML is shown as it is written', async (t) => {
  const text = `[a]: https://example.com/${'b'.repeat(2_000)}\n\n${'[a] '.repeat(500)}`
  t.match(await toHtml(owner, text, new Map()), /<a href=/)
  t.match(await toHtml(owner, text + '[a] '.repeat(500), new Map()), /^<pre>\[a\]: https/)
})

t.test('publications that wait for the thread keep nobody from the database', async (t) => {
  const drafts = await Promise.all(Array.from({ length: 30 }, (_, i) => draft({ title: `Long ${i}`, body: long })))
  for (const { id } of drafts) await proveBy(db, one.org.id, id)
  let isHeld = true
  const held = busy(10, costly).then(() => {
    isHeld = false
  })
  const puts = drafts.map(({ id }) => write(`PUT /articles/${id}`, { status: 'published', base_version: 1 }))
  t.equal((await read('/articles')).status, 200)
  t.ok(isHeld, 'it is answered first')
  await held
  for (const { status } of await Promise.all(puts)) t.equal(status, 200)
})

t.test('while too much waits for the thread it is said so, and nothing is kept of it', async (t) => {
  const { slug } = await published({ title: 'Once', body: long })
  const { id } = await published({ title: 'Twice', body: 'short' })
  const waiting = Promise.all([busy(1, costly), busy(100, long)])
  const page = await fetch(new URL(`/wiki/${slug}`, ingress.url))
  t.equal(page.status, 429)
  t.ok(Number(page.headers.get('retry-after')) > 0)
  const put = { status: 'published', base_version: 1, body: long }
  t.equal((await write(`PUT /articles/${id}`, put)).status, 429)
  await waiting
  t.match((await read(`/articles/${slug}?format=html`)).body.html, /<strong>opened/)
  t.equal((await write(`PUT /articles/${id}`, put)).status, 200)
  t.match((await read('/articles?q=twice opened')).body.data, { length: 1 })
})

t.test('costly articles of one organisation keep no other organisation waiting', async (t) => {
  let isHeld = true
  const held = busy(8, costly).then(() => {
    isHeld = false
  })
  t.match((await toPlain('another', long)).text, /^It was opened in 1932/)
  t.ok(isHeld, 'its article is rendered before the costly ones')
  await held
})

t.test('what is published is what is newest, whoever writes meanwhile', async (t) => {
  const { id, slug } = await published({ title: 'Thrice', body: 'It is first.' })
  const held = busy(2, costly)
  const put = write(`PUT /articles/${id}`, { status: 'published' }, { headers: { 'if-match': '*' } })
  const other = write(`PUT /articles/${id}`, { body: `${long}secondly` }, { headers: { 'if-match': '*' } })
  t.same([(await put).status, (await other).status], [200, 200])
  await held
  t.equal((await write(`PUT /articles/${id}`, { status: 'published' }, { headers: { 'if-match': '*' } })).status, 200)
  t.match((await read('/articles?q=secondly')).body.data, [{ slug }])
})
