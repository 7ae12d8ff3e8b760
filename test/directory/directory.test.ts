import t from 'tap'
import { newId } from '#lib/ids.ts'
import { Storage } from '#lib/storage/storage.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { storage } from '../../ingress/http/services.ts'
import { insertAsset } from '../support/assets.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, fieldsOf, testIngress, testOrg } from '../support/ingress.ts'
import { storeKeys } from '../support/video-stack.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
// Pages name where posters come from; nothing is asked for there.
const address = 'http://storage.example'
const files = new Storage({ endpoint: address, publicEndpoint: address, ...storeKeys })
const ingress = await testIngress(t, db, [], {
  only: ['directory', 'video', 'live'],
  services: [provide(storage, files)],
})
const scopes = ['streaming:read', 'streaming:write', 'stream:read', 'stream:write']
const [ours, theirs] = [await testOrg(db, scopes), await testOrg(db, scopes)]
const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: ours.keys.main, ...options })
const asThem = (request: string, options: Ask = {}) => ask(request, { key: theirs.keys.main, ...options })
const asset = (given: Parameters<typeof insertAsset>[2] = {}, org = ours.org.id) => insertAsset(db, org, given)
const base = '/v1/streaming'
const idsIn = (reply: { body: { data: { uuid: string }[] } }) => reply.body.data.map(({ uuid }) => uuid)
const found = async (q: string, more = '') => {
  const reply = await ask(`GET ${base}/search?q=${encodeURIComponent(q)}${more}`)
  if (reply.status !== 200) throw new Error(`${q}: ${reply.text}`)
  return reply.body.data as {
    type: string
    score: number
    highlight: Record<string, string>
    item: Record<string, string>
  }[]
}
const titles = (hits: Awaited<ReturnType<typeof found>>) => hits.map(({ item }) => item.title ?? item.name)

t.test('only what is public and ready is found, by every way; what is less is gone at once', async (t) => {
  const shape = {
    title: 'Zeppelin landing',
    filename: 'secret-name.mov',
    width: 720,
    height: 1280,
    duration_seconds: 20,
  }
  const id = await asset(shape)
  const hidden = await Promise.all([
    ...(['private', 'signed', 'unlisted'] as const).map((visibility) => asset({ ...shape, visibility })),
    ...(['processing', 'failed', 'uploading'] as const).map((status) => asset({ ...shape, status })),
  ])
  await ask(`POST ${base}/channels`, { body: { handle: 'zeppelins', name: 'Airships' } })
  for (const one of [id, ...hidden]) t.match(await ask(`PUT ${base}/channels/zeppelins/videos/${one}`), { status: 200 })
  const everywhere = async () => {
    const lists = [`videos`, `shorts`, `channels/zeppelins/videos`].map((path) =>
      asThem(`GET ${base}/${path}?limit=100`),
    )
    const searched = await asThem(`GET ${base}/search?q=zeppelin`)
    const texts = [...(await Promise.all(lists)).map((reply) => [idsIn(reply), reply.text] as const)]
    const hits = searched.body.data.map(({ item }: { item: { uuid: string } }) => item.uuid)
    const all = [...texts, [hits, searched.text] as const]
    t.notOk(all.some(([, text]) => [...hidden, 'secret-name'].some((one) => text.includes(one))))
    const reads = await Promise.all(['videos', 'shorts'].map((path) => asThem(`GET ${base}/${path}/${id}`)))
    const page = await ingress.ask(`GET /watch/${id}`)
    const shown = (await ingress.ask('GET /watch')).text.includes(`/watch/${id}`)
    t.equal(shown, page.status === 200, 'the page of the newest')
    t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    return [...all.map(([ids]) => ids.includes(id)), ...[...reads, page].map(({ status }) => status === 200)]
  }
  const seven = (is: boolean) => Array.from({ length: 7 }, () => is)
  t.match((await ingress.ask('GET /watch')).text, `<p class="publisher">${ours.org.name}</p>`)
  const foreign = await asset(shape, theirs.org.id)
  t.notMatch((await ingress.ask('GET /watch')).text, 'class="publisher"', 'videos of two organisations')
  await db.query(sql.typeAlias('void')`update video.assets set visibility = 'private' where id = ${foreign}`)
  t.same(await everywhere(), seven(true))
  for (const one of hidden) {
    for (const path of ['videos', 'shorts', 'live']) t.equal((await ask(`GET ${base}/${path}/${one}`)).status, 404)
    t.equal((await ingress.ask(`GET /watch/${one}`)).status, 404)
  }
  const show = (visibility: string) => ask(`PATCH /v1/stream/assets/${id}`, { body: { visibility } })
  const since = (await ask(`GET ${base}/videos/${id}`)).body.published_at
  // Files are none of this test's business, so there is no storage: the poster's copy cannot be removed.
  await db.query(sql.typeAlias('void')`update video.assets set poster = false where id = ${id}`)
  for (const visibility of ['unlisted', 'signed', 'private']) {
    t.equal((await show(visibility)).status, 200)
    t.same(await everywhere(), seven(false), visibility)
    t.equal((await show('public')).status, 200)
    t.same(await everywhere(), seven(true))
  }
  t.equal((await ask(`GET ${base}/videos/${id}`)).body.published_at, since, 'it was published when it first was')
  t.match((await ask(`GET ${base}/channels/zeppelins`)).body, {
    counts: { videos: 0, shorts: 1 },
    last_published_at: since,
  })
  t.equal((await ask(`DELETE /v1/stream/assets/${id}`)).status, 200)
  t.same(await everywhere(), seven(false))
  t.match((await ask(`GET ${base}/channels/zeppelins`)).body, {
    counts: { videos: 0, shorts: 0 },
    last_published_at: null,
  })
})

t.test('channels: handles are one’s own on the installation, and their organisation’s alone to change', async (t) => {
  const body = { handle: '@Trains', name: 'Trains', links: ['https://trains.example/a?b'], language: 'PT-br' }
  const made = await ask(`POST ${base}/channels`, { body, headers: { 'idempotency-key': 'trains' } })
  t.match(made, {
    status: 201,
    body: { handle: 'trains', language: 'pt-BR', counts: { videos: 0, shorts: 0 }, is_live: false },
  })
  const again = await ask(`POST ${base}/channels`, { body, headers: { 'idempotency-key': 'trains' } })
  t.same([again.headers.get('idempotent-replayed'), again.body], ['true', made.body])
  t.match(await asThem(`POST ${base}/channels`, { body: { handle: 'TRAINS', name: 'x' } }), {
    status: 409,
    body: { error: { code: 'conflict' } },
  })
  for (const handle of ['trains', '@trains', 'TRAINS']) {
    t.match(await asThem(`GET ${base}/channels/${handle}`), { status: 200, body: { name: 'Trains' } })
  }
  const id = await asset({ title: 'Night express' })
  const change = { body: { description: 'Old and new', links: [] } }
  t.match(await ask(`PATCH ${base}/channels/trains`, change), {
    status: 200,
    body: { name: 'Trains', links: [], language: 'pt-BR' },
  })
  t.equal((await ask(`PUT ${base}/channels/trains/videos/${id}`)).status, 200)
  for (const at of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', 'x']) {
    const older = `at=${encodeURIComponent(at)}&id=0199aa00-0000-7000-8000-000000000000`
    t.equal((await ingress.ask(`GET /watch/channels/trains?${older}`)).status, 200, at)
  }
  await asThem(`POST ${base}/channels`, { body: { handle: 'thieves', name: 'x' } })
  const refused = await Promise.all([
    asThem(`PATCH ${base}/channels/trains`, change),
    asThem(`DELETE ${base}/channels/trains`),
    asThem(`PUT ${base}/channels/thieves/videos/${id}`),
    asThem(`PUT ${base}/channels/trains/videos/${await asset({}, theirs.org.id)}`),
    asThem(`DELETE ${base}/channels/trains/videos/${id}`),
    asThem(`PATCH ${base}/videos/${id}`, { body: { title: 'Mine' } }),
    ask(`PUT ${base}/channels/trains/videos/${newId()}`),
    ask(`PUT ${base}/channels/trains/videos/nonsense`),
    ask(`GET ${base}/channels/no%20such`),
    ask(`GET ${base}/channels/nobodys/videos`),
  ])
  t.same(
    refused.map(({ status }) => status),
    [404, 404, 404, 404, 404, 404, 404, 404, 404, 404],
  )
  t.match(await ask(`GET ${base}/videos/${id}`), {
    body: { title: 'Night express', channel: { handle: 'trains', name: 'Trains' } },
  })

  await ask(`POST ${base}/channels`, { body: { handle: 'other', name: 'Other' } })
  t.match((await ask(`PUT ${base}/channels/other/videos/${id}`)).body, { listed: true, channel: { handle: 'other' } })
  t.same(idsIn(await ask(`GET ${base}/channels/trains/videos`)), [])
  t.equal((await ask(`DELETE ${base}/channels/trains/videos/${id}`)).status, 404, 'it has left')
  t.equal((await ask(`DELETE ${base}/channels/other/videos/${id}`)).status, 200)
  t.equal((await ask(`PUT ${base}/channels/trains/videos/${id}`)).status, 200)
  t.equal((await ask(`DELETE ${base}/channels/trains`)).status, 200)
  t.match(await ask(`GET ${base}/videos/${id}`), { status: 200, body: { channel: null } }, 'the video stays')
  t.equal((await ask(`GET ${base}/channels/trains`)).status, 404)
  const own = await asThem(`GET ${base}/channels?own=true`)
  t.same(
    own.body.data.map(({ handle }: { handle: string }) => handle),
    ['thieves'],
  )
})

t.test('lists give each once over all pages, and a repeat that knows the answer is answered 304', async (t) => {
  const at = new Date('2031-01-01T00:00:00.123Z')
  const ids = await Promise.all(Array.from({ length: 9 }, () => asset({ title: 'Paged' })))
  await db.query(sql.typeAlias('void')`
    update directory.videos set published_at = ${at.toISOString()} where id = any(${sql.array(ids, 'uuid')})`)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await ask(`GET ${base}/videos?limit=2${cursor}`)
    seen.push(...idsIn({ body }))
    // What comes or goes meanwhile shifts nothing.
    if (seen.length === 2) await asset({ title: 'Meanwhile' })
    if (seen.length === 4)
      await db.query(sql.typeAlias('void')`
      update video.assets set visibility = 'private' where id = ${seen[3] as string}`)
    if (body.next_cursor === null || seen.length > 9) break
    cursor = `&cursor=${body.next_cursor}`
  }
  t.same(seen.slice(0, 9), ids.toSorted().reverse(), 'those of one instant, too')
  t.equal(new Set(seen).size, seen.length)

  const first = await ask(`GET ${base}/videos?limit=2`)
  const tag = first.headers.get('etag') ?? ''
  t.equal(first.headers.get('cache-control'), 'private, no-cache')
  const known = { headers: { 'if-none-match': tag } }
  t.match(await ask(`GET ${base}/videos?limit=2`, known), { status: 304, text: '' })
  await ask(`PATCH ${base}/videos/${ids.toSorted().at(-1)}`, { body: { title: 'New name' } })
  t.match(await ask(`GET ${base}/videos?limit=2`, known), { status: 200 })
  t.equal((await ask(`GET ${base}/videos`, { key: 'bt_live_wrong', ...known })).status, 401)
})

t.test(
  'an asset that is described, moved, shown, hidden and deleted at once ends as its last visibility says',
  async (t) => {
    await ask(`POST ${base}/channels`, { body: { handle: 'busy', name: 'Busy' } })
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, i) => asset({ visibility: i % 2 ? 'public' : 'private', poster: false })),
    )
    const last = await Promise.all(
      ids.map(async (id, i) => {
        const visibility = i % 3 ? 'private' : 'public'
        const replies = await Promise.all([
          ask(`PATCH ${base}/videos/${id}`, { body: { title: 'Busy', description: 'One' } }),
          ask(`PUT ${base}/channels/busy/videos/${id}`),
          ask(`PATCH /v1/stream/assets/${id}`, { body: { visibility } }),
          ask(`PATCH ${base}/videos/${id}`, { body: { tags: ['two'] } }),
          ...(i % 4 === 0 ? [ask(`DELETE /v1/stream/assets/${id}`)] : []),
        ])
        t.notOk(replies.some(({ status }) => status >= 500))
        return i % 4 !== 0 && visibility === 'public' ? [id] : []
      }),
    )
    const listed = idsIn(await ask(`GET ${base}/channels/busy/videos?limit=100`))
    t.same(listed.toSorted(), last.flat().toSorted())
  },
)

t.test('shorts are taller than wide and at most three minutes long', async (t) => {
  const tall = { width: 1080, height: 1920, title: 'Shape' }
  const ids = {
    short: await asset({ ...tall, duration_seconds: 180 }),
    long: await asset({ ...tall, duration_seconds: 180.5 }),
    square: await asset({ ...tall, width: 1920, duration_seconds: 10 }),
    sound: await asset({ ...tall, width: null, height: null, duration_seconds: 10 }),
  }
  const shown = idsIn(await ask(`GET ${base}/shorts?limit=100`))
  t.same(
    Object.entries(ids).flatMap(([name, id]) => (shown.includes(id) ? [name] : [])),
    ['short'],
  )
  const statuses = await Promise.all(
    Object.values(ids).map(async (id) => (await ask(`GET ${base}/shorts/${id}`)).status),
  )
  t.same(statuses, [200, 404, 404, 404])
  t.match((await ask(`GET ${base}/videos/${ids.short}`)).body, {
    kind: 'short',
    is_live: false,
    url: `${ingress.url}/watch/${ids.short}`,
  })
})

t.test('search ranks names before tags before descriptions, and forgives case, accents and slips', async (t) => {
  const told = await asset({ title: 'A walk' })
  const tagged = await asset({ title: 'Along the coast' })
  const named = await asset({ title: 'Crème brûlée <b>at home</b>' })
  await ask(`PATCH ${base}/videos/${told}`, {
    body: { description: `${'Far and wide. '.repeat(30)}Then crème brûlée & tea.` },
  })
  await ask(`PATCH ${base}/videos/${tagged}`, { body: { tags: ['Creme', 'brulee'], language: 'fr' } })
  await ask(`POST ${base}/channels`, {
    body: { handle: 'kitchen', name: 'Brulee kitchen', description: 'Creme de la creme' },
  })
  await ask(`PUT ${base}/channels/kitchen/videos/${named}`)
  const hits = await found('CREME brulée')
  t.same(hits.map(({ type }) => type).toSorted(), ['channel', 'video', 'video', 'video'])
  const ofVideos = await found('CREME brulée', '&type=video')
  t.same(
    ofVideos.map(({ item }) => item.uuid),
    [named, tagged, told],
  )
  t.same(ofVideos[0]?.highlight, {
    title: '<mark>Crème</mark> <mark>brûlée</mark> &lt;b&gt;at home&lt;/b&gt;',
    description: null,
  })
  t.match(ofVideos[2]?.highlight.description, /^…[^<]*Then <mark>crème<\/mark> <mark>brûlée<\/mark> &amp; tea\.$/)
  t.same(titles(await found('bruleé kichen')), ['Brulee kitchen'], 'a slip')
  t.same(
    (await found('creme', '&language=fr')).map(({ item }) => item.uuid),
    [tagged],
  )
  t.same(
    (await found('creme', '&channel=@Kitchen')).map(({ item }) => item.uuid),
    [named],
  )
  t.same(await found('creme', '&duration=long'), [])
  t.same(await found('creme', '&published_after=2040-01-01T00:00:00Z'), [])
  t.same((await found('creme -brulee')).length, 0)
  t.same(await found('"brulee creme"'), [])
  for (const q of ['!!!', '"', "'; drop table x; --", '%', '\\', ':*', '🙂', 'a'.repeat(200)]) await found(q)

  const pages = async (more: string) => {
    const all: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await ask(`GET ${base}/search?q=creme&limit=1${more}${cursor}`)
      all.push(...body.data.map(({ item }: { item: Record<string, string> }) => item.uuid ?? item.handle))
      if (body.next_cursor === null || all.length > 9) return all
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  t.same((await pages('')).toSorted(), [told, tagged, named, 'kitchen'].toSorted())
  t.same(await pages('&sort=-published_at'), ['kitchen', named, tagged, told])
})

t.test('broadcasts are those that the live area lists', async (t) => {
  t.same((await ask(`GET ${base}/live`)).body, { data: [], next_cursor: null })
  t.equal((await ask(`GET ${base}/live/${newId()}`)).status, 404)
  const rows = (['live', 'ended', 'live'] as const).map((status, i) => ({ id: newId(), status, listed: i < 2 }))
  for (const { id, status, listed } of rows) {
    await db.query(sql.typeAlias('void')`
      insert into directory.live_streams (id, org_id, listed, status, title, hls_path)
      values (${id}, ${ours.org.id}, ${listed}, ${status}, 'Harbour webcam', '/v1/stream/live/x.m3u8')`)
  }
  const [now = '', over = '', hidden = ''] = rows.map(({ id }) => id)
  t.same(idsIn(await asThem(`GET ${base}/live`)), [now])
  t.same(idsIn(await ask(`GET ${base}/live?status=ended`)), [over])
  t.match((await ask(`GET ${base}/live/${now}`)).body, {
    kind: 'live',
    is_live: true,
    live: { status: 'live' },
    playback: { hls_url: `${ingress.url}/v1/stream/live/x.m3u8` },
  })
  t.equal((await ask(`GET ${base}/live/${hidden}`)).status, 404)
  t.same((await found('webcam', '&type=live')).map(({ item }) => item.uuid).toSorted(), [now, over].toSorted())
})

t.test('bad input is a 400 that names every field; a key without the scope is refused', async (t) => {
  const faults = async (request: string, body?: unknown) => {
    const reply = await ask(`${request.replace(' ', ` ${base}`)}`, body === undefined ? {} : { body })
    if (reply.status !== 400) throw new Error(`${request} ${JSON.stringify(body)}: ${reply.status} ${reply.text}`)
    return fieldsOf(reply)
  }
  t.same(
    await faults('POST /channels', { handle: 'a b', name: '', links: ['javascript:alert(1)'], language: '!', more: 1 }),
    [...['body.handle', 'body.language', 'body.links.0', 'body.more', 'body.name']],
  )
  for (const handle of ['', 'ab', '@', '-abc', 'abc-', 'a'.repeat(31), 'ä-ö-ü', null, 7, {}]) {
    t.same(await faults('POST /channels', { handle, name: 'x' }), ['body.handle'])
  }
  const id = await asset()
  const described = { title: '', description: 'x'.repeat(5_001), tags: ['a', ''], language: 'x' }
  t.same(await faults(`PATCH /videos/${id}`, described), [
    'body.description',
    'body.language',
    'body.tags.1',
    'body.title',
  ])
  t.same(await faults(`PATCH /videos/${id}`, { description: 'a\u0007b' }), ['body.description'])
  t.same(await faults('GET /search'), ['query.q'])
  t.same(
    await faults('GET /search?q=%20&type=x&duration=1&published_after=now&sort=views&own=maybe&limit=0&channel=!'),
    [
      ...[
        'query.channel',
        'query.duration',
        'query.limit',
        'query.own',
        'query.published_after',
        'query.q',
        'query.sort',
        'query.type',
      ],
    ],
  )
  t.same(await faults('GET /search?q=a&channel=nobodys'), ['query.channel'])
  t.same(await faults('GET /live?status=paused'), ['query.status'])
  const cursors = [
    'x',
    'W10',
    Buffer.from('{"at":"now","id":"1"}').toString('base64url'),
    Buffer.from(newId()).toString('base64url'),
  ]
  for (const list of ['videos', 'shorts', 'search?q=a', 'channels/kitchen/videos']) {
    for (const cursor of cursors)
      t.same(await faults(`GET /${list}${list.includes('?') ? '&' : '?'}cursor=${cursor}`), ['query.cursor'])
  }
  const { keys } = await testOrg(db, ['streaming:read'])
  const reader = { key: keys.main, body: { handle: 'reader', name: 'x' } }
  t.equal((await ask(`POST ${base}/channels`, reader)).status, 403)
  t.equal((await ask(`GET ${base}/videos`, { key: keys.main })).status, 200)
})
