import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { directoryStack } from './directory-stack.ts'

t.setTimeout(240_000)
const { db, ingress, theirs, ask, asThem, asset } = await directoryStack(t)
const base = '/v1/streaming/playlists'
const titled = (title: string) => asset({ title })
const [one, two, three] = [await titled('One'), await titled('Two'), await titled('Three')]
const make = async (body: object) => (await ask(`POST ${base}`, { body })).body
const idsOf = async (id: string, query = '') =>
  (await asThem(`GET ${base}/${id}/videos${query}`)).body.data.map(({ uuid }: { uuid: string }) => uuid)

t.test('a playlist has its owner’s order, which is changed at once or a video at a time', async (t) => {
  const body = { title: 'First', videos: [one, two] }
  const made = await ask(`POST ${base}`, { body, headers: { 'idempotency-key': 'first' } })
  t.match(made, { status: 201, body: { title: 'First', visibility: 'public', video_count: 2, description: '' } })
  t.same((await ask(`POST ${base}`, { body, headers: { 'idempotency-key': 'first' } })).body, made.body)
  const { id } = made.body
  t.same(await idsOf(id), [one, two])
  t.match(await ask(`PUT ${base}/${id}/videos/${three}`, { body: {} }), { status: 200, body: { video_count: 3 } })
  t.same(await idsOf(id), [one, two, three], 'at the end')
  for (let i = 0; i < 2; i++) await ask(`PUT ${base}/${id}/videos/${three}`, { body: { position: 1 } })
  t.same(await idsOf(id), [three, one, two], 'moved, and twice is as once')
  const paged = await ask(`GET ${base}/${id}/videos?limit=2`)
  t.same(
    paged.body.data.map(({ uuid, position }: { uuid: string; position: number }) => [uuid, position]),
    [
      [three, 1],
      [one, 2],
    ],
  )
  t.same(await idsOf(id, `?limit=2&cursor=${paged.body.next_cursor}`), [two])
  t.match(await ask(`DELETE ${base}/${id}/videos/${one}`), { status: 200, body: { uuid: one, removed: true } })
  t.equal((await ask(`DELETE ${base}/${id}/videos/${one}`)).status, 404)
  const change = { title: 'Second', description: 'Both', visibility: 'unlisted', videos: [two, three] }
  t.match(await ask(`PATCH ${base}/${id}`, { body: change }), {
    status: 200,
    body: { title: 'Second', description: 'Both', visibility: 'unlisted', video_count: 2 },
  })
  t.same(await idsOf(id), [two, three])
  t.match(await ask(`DELETE ${base}/${id}`), { status: 200, body: { id, deleted: true } })
  t.equal((await ask(`GET ${base}/${id}`)).status, 404)
  t.equal((await ask(`GET ${base}/${id}/videos`)).status, 404)
})

t.test('what is not listed is in a playlist, and shown to nobody until it is', async (t) => {
  const hidden = await asset({ title: 'Secret', visibility: 'private', poster: false })
  const { id } = await make({ title: 'Mixed', videos: [one, hidden, two] })
  const shown = async () => [await idsOf(id), (await ingress.ask(`GET /watch/playlists/${id}`)).text.includes('Secret')]
  t.same(await shown(), [[one, two], false])
  t.notMatch((await ingress.ask(`GET /watch/${one}?list=${id}`)).text, hidden)
  t.equal((await ask(`PATCH ${base}/${id}`, { body: { videos: [two, hidden, one] } })).status, 200)
  await ask(`PATCH /v1/stream/assets/${hidden}`, { body: { visibility: 'public' } })
  t.same(await shown(), [[two, hidden, one], true])
  await ask(`DELETE /v1/stream/assets/${hidden}`)
  t.same(await shown(), [[two, one], false])
})

t.test('its organisation alone changes it, with videos of its own and such as are listed', async (t) => {
  const { id } = await make({ title: 'Ours', videos: [one] })
  const [listed, hidden] = [await asset({}, theirs.org.id), await asset({ visibility: 'unlisted' }, theirs.org.id)]
  t.equal((await ask(`PUT ${base}/${id}/videos/${listed}`, { body: {} })).status, 200)
  t.match(await ask(`PATCH ${base}/${id}`, { body: { videos: [one, hidden] } }), {
    status: 400,
    body: { error: { code: 'bad_request', details: [{ field: 'body.videos.1' }] } },
  })
  const refused = await Promise.all([
    asThem(`PATCH ${base}/${id}`, { body: { title: 'Mine' } }),
    asThem(`PATCH ${base}/${id}`, { body: { videos: [] } }),
    asThem(`PUT ${base}/${id}/videos/${listed}`, { body: {} }),
    asThem(`DELETE ${base}/${id}/videos/${one}`),
    asThem(`DELETE ${base}/${id}`),
    ask(`PUT ${base}/${id}/videos/${hidden}`, { body: {} }),
    ask(`PUT ${base}/${id}/videos/${newId()}`, { body: {} }),
    ask(`GET ${base}/${newId()}`),
  ])
  t.same(
    refused.map(({ status }) => status),
    [404, 404, 404, 404, 404, 404, 404, 404],
  )
  t.same(await idsOf(id), [one, listed])
  const { id: quiet } = await make({ title: 'Quiet', visibility: 'unlisted' })
  const inLists = async (asker: typeof ask, query: string) =>
    (await asker(`GET ${base}${query}`)).body.data
      .map((each: { id: string }) => each.id)
      .filter((each: string) => [id, quiet].includes(each))
  t.same(await inLists(asThem, ''), [id])
  t.same(await inLists(asThem, '?own=true'), [])
  t.same(await inLists(ask, '?own=true'), [quiet, id])
  t.equal((await asThem(`GET ${base}/${quiet}`)).status, 200, 'whoever has its address')
  t.match((await ingress.ask(`GET /watch/playlists/${quiet}`)).text, 'name="robots" content="noindex"')
})

t.test('a playlist holds 500 videos, whoever adds at once', async (t) => {
  const many = await Promise.all(Array.from({ length: 499 }, () => asset({ visibility: 'private', poster: false })))
  const { id } = await make({ title: 'Long', videos: many })
  const added = await Promise.all(
    [one, two, three].map((uuid) => ask(`PUT ${base}/${id}/videos/${uuid}`, { body: {} })),
  )
  t.same(added.map(({ status }) => status).sort(), [200, 409, 409])
  const Length = z.object({ length: z.number() })
  t.equal(
    await db.oneFirst(sql.type(Length)`select cardinality(videos) as length from directory.playlists where id = ${id}`),
    500,
  )
})

t.test('its page plays from the first, and leads on from each video', async (t) => {
  const evil = '<script>alert(1)</script>"'
  const { id } = await make({ title: evil, description: evil, videos: [one, two, three] })
  const page = await ingress.ask(`GET /watch/playlists/${id}`)
  t.equal(page.status, 200)
  t.notMatch(page.text, '<script')
  t.match(page.text, `href="/watch/${one}?list=${id}">Play all`)
  const middle = (await ingress.ask(`GET /watch/${two}?list=${id}`)).text
  t.match(middle, `rel="prev" href="/watch/${one}?list=${id}"`)
  t.match(middle, `rel="next" href="/watch/${three}?list=${id}"`)
  t.equal(middle.match(/<script/g)?.length, 1, 'but for the data of search engines')
  t.notMatch((await ingress.ask(`GET /watch/${one}?list=${id}`)).text, 'rel="prev"')
  t.notMatch((await ingress.ask(`GET /watch/${three}?list=${id}`)).text, 'rel="next"')
  for (const list of [newId(), 'nonsense', '', '%00'])
    t.notMatch((await ingress.ask(`GET /watch/${two}?list=${list}`)).text, 'aria-label="Playlist"')
  const { id: other } = await make({ title: 'Without it', videos: [one] })
  const stray = await ingress.ask(`GET /watch/${two}?list=${other}`)
  t.equal(stray.status, 200)
  t.notMatch(stray.text, /rel="(prev|next)"/)
  const videos = await Promise.all(Array.from({ length: 30 }, (_, i) => titled(`Part ${i}`)))
  const { id: long } = await make({ title: 'Parts', videos })
  const first = (await ingress.ask(`GET /watch/playlists/${long}`)).text
  t.match(first, `/watch/playlists/${long}?after=24`)
  const rest = (await ingress.ask(`GET /watch/playlists/${long}?after=24`)).text
  t.ok(videos.slice(24).every((video) => rest.includes(video)) && !rest.includes(videos[23] as string))
  t.equal((await ingress.ask(`GET /watch/playlists/${long}?after=x`)).status, 200)
  t.equal((await ingress.ask(`GET /watch/playlists/${newId()}`)).status, 404)
})
