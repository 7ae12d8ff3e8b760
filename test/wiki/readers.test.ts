import { existsSync } from 'node:fs'
import { DOMParser, parseHTML } from 'linkedom'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { listCitedClaims, renderMarkdown, toPlainText } from '../../ingress/wiki/markdown.ts'
import { get as consolePage, signIn } from '../console/fixture.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { ask, testOrg } from '../support/ingress.ts'
import { authoring, wikiKeys } from './authors.ts'
import { proveBy } from './proven.ts'

t.setTimeout(240_000)
const { db, ingress, one, write, read, published } = await authoring(t, ['console'])
const get = (path: string, headers: Record<string, string> = {}) => ask(ingress.url, `GET ${path}`, { headers })

t.test(
  'a search finds by words whatever their case and accents, ranks titles first, and marks what it found',
  async (t) => {
    await published({ title: 'Rivers', body: 'The **Café** by the <i>old</i> bridge\n\n```\ncode & more\n```' })
    await published({ title: 'The Café', body: 'Nothing of rivers.', tags: ['tea house'] })
    await published({ title: 'Elsewhere', body: `${'filler '.repeat(500)} a cafe between ${'words '.repeat(500)}` })
    const search = async (q: string, more = '') => (await read(`/articles?q=${encodeURIComponent(q)}${more}`)).body.data
    const titles = async (q: string, more = '') => (await search(q, more)).map(({ title }: { title: string }) => title)
    t.equal((await titles('CAFE'))[0], 'The Café')
    t.same((await titles('café')).sort(), ['Elsewhere', 'Rivers', 'The Café'])
    t.same(await titles('cafe -filler -nothing'), ['Rivers'])
    t.same(await titles('"old bridge"'), ['Rivers'])
    t.same(await titles('bridge or filler'), ['Rivers', 'Elsewhere'].sort().reverse())
    t.same(await titles('tea'), ['The Café'], 'a tag')
    t.same(await titles('cafe', '&limit=1'), ['The Café'])
    t.same(await titles('"cafe by" or zebra'), ['Rivers'])
    t.same((await titles('bridge -"by the old"')).sort(), [], 'a phrase that is not wanted')
    t.same((await titles('cafe -"the old words"')).length, 3, 'whose words stand apart')
    await published({ title: 'Marked cafe', tags: ["o'neil \\ co"], language: 'fr' })
    t.same(await titles('cafe', `&tag=${encodeURIComponent("O'Neil \\ co")}&language=fr`), ['Marked cafe'])
    t.same(await titles('cafe', '&language=de'), [])
    t.same(await titles('org language fr'), [], 'what it is narrowed by is no word')
    for (const nothing of ['zebra', '!', '"', "'; drop", ':*', '-cafe bridge'])
      t.same(await titles(nothing), [], nothing)
    const [{ highlights }] = await search('old cafe')
    t.same(highlights, {
      title: 'Rivers',
      excerpt: 'The <mark>Café</mark> by the &lt;i&gt;<mark>old</mark>&lt;/i&gt; bridge code &amp; more',
    })
    const [long] = await search('between')
    t.match(long.highlights.excerpt, /^… (filler )+a cafe <mark>between<\/mark> (words )+…$/)
    t.ok(long.highlights.excerpt.length < 500)
  },
)

const harmless = /^(h[2-6]|p|blockquote|[uo]l|li|hr|br|pre|code|strong|em|s|sup|a|table|thead|tbody|tr|t[hd])$/i

/** Finds HTML that would run or load something. */
function activeIn(html: string): string[] {
  const elements = [...parseHTML(`<body>${html}</body>`).document.querySelectorAll('body *')]
  return elements.flatMap((element) => {
    const strange = harmless.test(element.tagName) ? [] : [element.tagName]
    for (const { name, value } of element.attributes) {
      const isHarmless = ['title', 'rel', 'start'].includes(name)
      if (!isHarmless && !(name === 'href' && /^(https?|mailto):$/.test(new URL(value, 'http://x').protocol)))
        strange.push(name)
    }
    return strange
  })
}

t.test('hostile Markdown leaves nothing active', async (t) => {
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](JaVa\tScRiPt:alert(1))',
    '[a](&#x6A;avascript:alert(1))',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '[a](vbscript:x) <javascript:alert(1)>',
    '[a](//evil.example/x)',
    '![a](data:image/svg+xml,<svg onload=alert(1)>)',
    '![" onerror="alert(1)](https://evil.example/x.png)',
    '[a](https://x.example "\\" onmouseover=\\"alert(1)")',
    '```html" onload="alert(1)\n<b>\n```',
    '<!--><script>alert(1)</script>-->',
    '<svg><style><img src="</style><img src=x onerror=alert(1)//">',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '[a]: javascript:alert(1)\n\n[a]',
    `[^${newId()}]`,
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bomb">]><a>&b;&b;</a>',
  ]
  for (const text of hostile) {
    const html = renderMarkdown(text, new Map())
    t.same(activeIn(html), [], `${text} → ${html}`)
    t.notMatch(html, /evil\.example\/x"/, 'an address of no scheme')
  }
  t.match(renderMarkdown(hostile.join('\n\n'), new Map()), /&lt;script&gt;alert\(1\)/)
  t.equal(
    renderMarkdown('# A\n\n[b](https://c.example)', new Map()),
    '<h2>A</h2>\n<p><a href="https://c.example" rel="nofollow ugc noopener">b</a></p>\n',
  )
})

t.test('Markdown of the greatest length that nests and repeats is rendered, and read without its markup', (t) => {
  const fill = (part: string) => part.repeat(Math.ceil(200_000 / part.length)).slice(0, 200_000)
  for (const part of ['![', '[', '**a*', '> ', '`', '[^']) {
    const html = renderMarkdown(fill(part), new Map())
    t.ok(html.length < 2_000_000, part)
    t.ok(toPlainText(fill(part)).text.length <= 200_000)
    t.same(listCitedClaims(fill(part)), [])
  }
  t.end()
})

t.test('everybody reads the page of a published article, with footnotes to what proves it', async (t) => {
  const { slug, claim, id } = await published(
    { title: 'A <b>bold</b> bridge', summary: 'Of "steel" & stone', tags: ['bridges'], slug: 'bold-bridge' },
    (claim) =>
      `# Opening\n\nIt was opened in 1932[^${claim}], <script>alert(1)</script> they say[^${claim}].\n\n| a | b |\n|---|---|\n| 1 | 2 |`,
  )
  const page = await get(`/wiki/${slug}`)
  t.equal(page.status, 200)
  t.match(page.text, '<h1>A &lt;b&gt;bold&lt;/b&gt; bridge</h1>')
  t.match(page.text, 'opened in 1932<sup><a href="#note-1">1</a></sup>, &lt;script&gt;')
  t.match(page.text, '<li id="note-1" value="1">')
  t.match(page.text, 'The bridge, opened: 1932-03-19')
  t.match(page.text, '<meta property="og:description" content="Of &quot;steel&quot; &amp; stone">')
  t.match(page.headers.get('content-security-policy'), /^default-src 'none'/)
  t.equal(
    (await get(`/wiki/${slug}`, { 'if-none-match': page.headers.get('etag') ?? '', 'cache-control': 'max-age=0' }))
      .status,
    304,
  )
  const [, snapshot = ''] = /href="(\/wiki\/snapshots\/[^"]+)"/.exec(page.text) ?? []
  const publisher = /<p class="publisher">[^<]+<\/p>/.exec(page.text)?.[0] ?? 'none'
  t.match((await get('/wiki')).text, publisher, 'all articles have one publisher')
  const evidence = (await get(snapshot)).text
  t.match(evidence, 'opened to traffic on 19 March 1932')
  t.match(evidence, publisher)
  t.match(
    (await read(`/articles/${slug}?format=html`)).body.html,
    /<sup><a href="#note-1">1<\/a><\/sup>, &lt;script&gt;/,
  )

  await write(`PUT /articles/${id}`, { slug: 'bolder' })
  const moved = await get(`/wiki/${slug}`)
  t.same([moved.status, moved.headers.get('location')], [301, '/wiki/bolder'])
  t.equal((await get('/wiki/BOLDER')).headers.get('location'), '/wiki/bolder')
  const refused = await write(`PUT /articles/${id}`, {
    body: `x[^${newId()}] y[^${claim}]`,
    status: 'published',
    base_version: 2,
  })
  t.match(refused.body.error, {
    code: 'insufficient_evidence',
    details: { claims: [{ problem: 'not_a_claim_of_the_article' }] },
  })
  await write(`PUT /articles/${id}`, { status: 'withdrawn', reason: 'It <fell>.' })
  const tombstone = await get('/wiki/bolder')
  t.equal(tombstone.status, 410)
  t.match(tombstone.text, 'It &lt;fell&gt;.')
  t.match(tombstone.text, publisher)
  t.notMatch(tombstone.text, '1932')
  t.equal((await get(snapshot)).status, 404, 'what proves nothing that is public is not public')
  t.match(await get('/wiki'), { status: 200, text: /<h1>Articles<\/h1>/ })
  t.match(await get('/wiki/none'), { status: 404, text: /article does not exist/ })
  t.equal((await get(`/wiki/snapshots/${newId()}`)).status, 404)
})

t.test('the feed has what was published last, of all, of an organisation, of a tag', async (t) => {
  const { slug } = await published({ title: 'Fed \u0001]]> & <b>', summary: '<i>new</i>', tags: ['feeding'] })
  await published({ title: 'Other' })
  const feed = await get('/wiki/feed.xml?tag=feeding')
  t.match(feed.headers.get('content-type'), /^application\/rss\+xml/)
  const itemsIn = (xml: string) => [...new DOMParser().parseFromString(xml, 'text/xml').querySelectorAll('item')]
  const [item] = itemsIn(feed.text)
  const text = (name: string) => item?.querySelector(name)?.textContent ?? ''
  const shown = (name: string) => parseHTML(`<html><body>${text(name)}</body></html>`).document.body
  t.equal(shown('title').children.length + shown('description').children.length, 0, 'no markup of the author')
  t.same(
    [shown('title').textContent, shown('description').textContent, text('link'), text('category')],
    [...['Fed ]]> & <b>', '<i>new</i>', `${ingress.url}/wiki/${slug}`, 'feeding']],
  )
  const items = async (query: string) => itemsIn((await get(`/wiki/feed.xml${query}`)).text).length
  t.ok((await items('')) > 4)
  t.equal(await items(`?org=${one.org.id}`), await items(''))
  const stranger = await testOrg(db, [], { keys: wikiKeys })
  t.equal(await items(`?org=${stranger.org.id}`), 0)
  t.equal((await get('/wiki/feed.xml?org=x')).status, 400)
})

t.test('the console has articles of all organisations, how far they are proven, and their history', async (t) => {
  const operator = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url: ingress.url, key: operator.keys.main, orgId: operator.org.id })
  const made = await write('POST /articles', { title: 'Half <proven>', body: 'x', comment: 'begun', author: 'ann' })
  await proveBy(db, one.org.id, made.body.id)
  const pending = await proveBy(db, one.org.id, made.body.id, { snapshot: 'failed' })
  const overview = await consolePage(ingress.url, '/ops/wiki', cookie)
  t.match(overview.text, /Half &lt;proven&gt;.*2, <strong>1 unproven/s)
  t.match(overview.text, /Failed snapshots<\/h2>.*archive\.example/s)
  t.notMatch((await consolePage(ingress.url, '/ops/wiki?status=published', cookie)).text, 'Half')
  for (const name of [made.body.id, ' Half-proven ']) {
    const found = await consolePage(ingress.url, `/ops/wiki?find=${encodeURIComponent(name)}`, cookie)
    t.equal(found.headers.get('location'), `/ops/wiki/articles/${made.body.id}`)
  }
  t.match((await consolePage(ingress.url, '/ops/wiki?find=none', cookie)).text, 'This article does not exist')
  const { text } = await consolePage(ingress.url, `/ops/wiki/articles/${made.body.id}`, cookie)
  t.match(text, `${pending}</span> opened: snapshot failed`)
  t.match(text, /<th scope="row">1<\/th>.*begun.*ann/s)
})

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

t.test(
  'in a browser the page shows its text, asks no other host, and its footnotes are reached',
  { skip },
  async (t) => {
    const prose = 'The bridge crosses the harbour from the old town to the docks. '.repeat(6)
    const { slug } = await published(
      { title: 'The harbour bridge', summary: 'How a crossing of steel changed a town.', tags: ['bridges', 'harbour'] },
      (claim) =>
        `${prose}\n\n## Opening\n\nIt was opened on 19 March 1932[^${claim}]. ![a picture](https://pictures.example/a.png)\n\n> A quote\n\n- one\n- two\n\n\`\`\`\ncode\n\`\`\`\n\n| year | event |\n|---|---|\n| 1932 | opened |\n`,
    )
    const { page, hosts, errors } = await watchedPage(await startBrowser(t))
    await page.goto(`${ingress.url}/wiki/${slug}`)
    t.equal(await page.locator('h1').textContent(), 'The harbour bridge')
    await page.locator('sup a').click()
    t.equal(new URL(page.url()).hash, '#note-1')
    await keepPicture(page, 'wiki-article.png')
    await page.setViewportSize({ width: 360, height: 800 })
    t.notOk(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), 'nothing sticks out on a phone')
    await page.locator('.evidence a[href^="/wiki/snapshots/"]').click()
    await page.locator('#quotes').waitFor()
    await keepPicture(page, 'wiki-snapshot.png')
    t.same([...hosts], [new URL(ingress.url).host])
    t.same(errors, [])
  },
)
