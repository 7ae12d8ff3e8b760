import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { directoryStack } from './directory-stack.ts'

t.setTimeout(240_000)
const { db, ingress, ask, asThem, asset } = await directoryStack(t)
const { url } = ingress
const evil = `Steam & <script>alert(1)</script> ]]> "q" 'a' \u{fffe}`
const id = await asset({ title: evil, width: 1920, height: 1080, duration_seconds: 61 })
await ask('POST /v1/streaming/channels', {
  body: { handle: 'railways', name: 'Railways & <b>more</b>', language: 'en' },
})
await ask(`PUT /v1/streaming/channels/railways/videos/${id}`)
await ask(`PATCH /v1/streaming/videos/${id}`, { body: { description: 'A <b>text</b> ]]>', tags: ['steam', 'a&b'] } })
const hidden = await asset({ title: 'Unlisted one', visibility: 'unlisted' })
const oembed = (query: string) => ingress.ask(`GET /oembed?${query}`)
const page = encodeURIComponent(`${url}/watch/${id}`)

t.test('oEmbed gives a player in the video’s shape, no larger than asked for, and nothing that runs', async (t) => {
  const { status, body } = await oembed(`url=${page}&maxwidth=640&maxheight=1000&format=json`)
  t.equal(status, 200)
  t.match(body, {
    type: 'video',
    version: '1.0',
    title: evil,
    author_name: 'Railways & <b>more</b>',
    author_url: `${url}/watch/channels/railways`,
    provider_url: `${url}/watch`,
    thumbnail_url: `${url}/v1/stream/open/${id}/poster.jpg`,
    width: 640,
    height: 360,
  })
  t.match(body.html, `<iframe src="${url}/v1/stream/open/${id}/embed" width="640" height="360"`)
  t.notMatch(body.html, /<script|" onload/)
  const watched = (await ingress.ask(`GET /watch/${id}`)).text
  const [, found = ''] = /type="application\/json\+oembed" href="([^"]+)"/.exec(watched) ?? []
  t.match(await (await fetch(found.replaceAll('&amp;', '&'))).json(), { version: '1.0', width: 1280, height: 720 })
  const tall = await asset({ width: 720, height: 1280, duration_seconds: 20 })
  const ofTall = encodeURIComponent(`${url}/watch/${tall}?list=${newId()}#t`)
  t.match((await oembed(`url=${ofTall}&maxheight=320`)).body, { width: 180, height: 320 })
  t.match((await oembed(`url=${encodeURIComponent(`${url}/v1/stream/open/${id}/embed`)}`)).body, { version: '1.0' })
})

t.test('oEmbed knows only what is listed here, and JSON', async (t) => {
  for (const [given, status] of [
    [`url=${encodeURIComponent(`${url}/watch/${hidden}`)}`, 404],
    [`url=${encodeURIComponent(`${url}/watch/${newId()}`)}`, 404],
    [`url=${encodeURIComponent(`${url}/watch`)}`, 404],
    [`url=${encodeURIComponent(`${url}/watch/channels/railways`)}`, 404],
    [`url=${encodeURIComponent(`https://elsewhere.example/watch/${id}`)}`, 404],
    [`url=${page}&format=xml`, 501],
    ['url=nonsense', 400],
    ['url=javascript:alert(1)', 400],
    ['', 400],
    [`url=${page}&maxwidth=0`, 400],
    [`url=${page}&maxheight=a`, 400],
  ] as const)
    t.equal((await oembed(given)).status, status, given)
})

t.test('the feed of a channel encloses what plays each video, and is XML whatever stands in it', async (t) => {
  const feed = await ingress.ask('GET /watch/channels/railways/feed.xml')
  t.match(feed.headers.get('content-type'), 'application/rss+xml')
  t.match(
    feed.text,
    `<enclosure length="0" type="application/vnd.apple.mpegurl" url="${url}/v1/stream/open/${id}/master.m3u8"/>`,
  )
  t.match(feed.text, `<link>${url}/watch/${id}</link>`)
  t.notMatch(feed.text, '\u{fffe}')
  t.notMatch(feed.text, /<script|<b>/, 'readers show a title as HTML, so it is escaped in CDATA, too')
  t.match((await ingress.ask('GET /watch/channels/railways')).text, `href="${url}/watch/channels/railways/feed.xml"`)
  for (const handle of ['nobody', '@@'])
    t.equal((await ingress.ask(`GET /watch/channels/${handle}/feed.xml`)).status, 404)
  t.equal((await ingress.ask('GET /watch/channels/%00/feed.xml')).status, 400)
})

t.test('the sitemap leads to all that is public, and to nothing else', async (t) => {
  const playlist = async (visibility: string) =>
    (await ask('POST /v1/streaming/playlists', { body: { title: 'A list', visibility } })).body.id
  const [seen, unseen] = [await playlist('public'), await playlist('unlisted')]
  const index = await ingress.ask('GET /sitemap.xml')
  t.match(index.headers.get('content-type'), 'application/xml')
  const maps = [...index.text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc = '']) => loc.replaceAll('&amp;', '&'))
  t.equal(maps.length, 3)
  const texts = await Promise.all(maps.map(async (map) => await (await fetch(map)).text()))
  const all = texts.join('')
  for (const path of [`/watch/${id}`, '/watch/channels/railways', `/watch/playlists/${seen}`])
    t.match(all, `<loc>${url}${path}</loc>`)
  t.notMatch(all, new RegExp(`${hidden}|${unseen}|<script|<b>|\u{fffe}`))
  t.match(all, '<video:duration>61</video:duration>')
  t.ok(texts.every((text) => text.startsWith('<?xml') && text.endsWith('</urlset>\n')))
})

t.test('crawlers are told where the sitemap is, and what holds nothing for them', async (t) => {
  const { status, headers, text } = await ingress.ask('GET /robots.txt')
  t.equal(status, 200)
  t.match(headers.get('content-type'), 'text/plain')
  t.match(text, `\nSitemap: ${url}/sitemap.xml\n`)
  for (const rule of ['Allow: /v1/stream/open/', 'Disallow: /v1', 'Disallow: /app', 'Disallow: /ops'])
    t.ok(text.split('\n').includes(rule), rule)
})

t.test('a sitemap is read in batches, each video once', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into video.assets (id, org_id, bytes, stage, status, visibility, width, height, poster)
    select gen_random_uuid(), (select org_id from video.assets where id = ${id}), 1, 'ready', 'ready', 'public', 10, 10, false
    from generate_series(1, 1100)`)
  const index = (await ingress.ask('GET /sitemap.xml')).text
  const [, first = ''] = /<loc>([^<]+videos[^<]+)<\/loc>/.exec(index) ?? []
  const text = await (await fetch(first.replaceAll('&amp;', '&'))).text()
  const locs = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc]) => loc)
  t.ok(locs.length > 1_100)
  t.equal(new Set(locs).size, locs.length)
})

t.test('players are framed by the sites that their owner has named, and by all when none is', async (t) => {
  const policy = async (path: string) => {
    const reply = await ingress.ask(`GET ${path}`)
    return /frame-ancestors ([^;]+)/.exec(reply.headers.get('content-security-policy') ?? '')?.[1]
  }
  const embed = `/v1/stream/open/${id}/embed`
  t.equal(await policy(embed), '*')
  t.same((await ask('GET /v1/stream/embedding')).body, { origins: [] })
  const origins = ['https://www.example.com', 'https://*.example.org', 'https://www.example.com']
  const set = await ask('PUT /v1/stream/embedding', { body: { origins } })
  t.match(set, { status: 200, body: { origins: ['https://www.example.com', 'https://*.example.org'] } })
  t.same((await ask('GET /v1/stream/embedding')).body, set.body)
  t.equal(await policy(embed), "'self' https://www.example.com https://*.example.org")
  await db.query(sql.typeAlias('void')`update video.assets set package_id = ${newId()} where id = ${id}`)
  const { embedUrl } = (await ask(`POST /v1/stream/assets/${id}/playback-sessions`, { body: {} })).body
  t.match(await policy(new URL(embedUrl).pathname), /^'self' https:\/\/www/)
  t.same((await asThem('GET /v1/stream/embedding')).body, { origins: [] }, 'others’ are theirs')
  const many = Array.from({ length: 100 }, (_, i) => `https://${'a'.repeat(60)}.${'b'.repeat(60)}.site-${i}.example`)
  t.match((await ask('PUT /v1/stream/embedding', { body: { origins: many } })).body.error.details, [
    { field: 'body.origins', issue: 'must have at most 4000 characters in total' },
  ])
  t.equal((await ask('PUT /v1/stream/embedding', { body: { origins: ['https://*'] } })).status, 400)
  await db.query(sql.typeAlias('void')`
    update video.embedding set origins = ${sql.array(many, 'text')} where org_id = (select org_id from video.assets where id = ${id})`)
  t.ok(((await policy(embed))?.length ?? 0) < 4_100, 'what was set before has a header that fits, too')
  await ask('PUT /v1/stream/embedding', { body: { origins: [] } })
  t.equal(await policy(embed), '*')
})
