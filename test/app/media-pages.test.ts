import t from 'tap'
import { foundClean } from '../support/found-clean.ts'
import { testOrg } from '../support/ingress.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { videoStack } from '../support/video-stack.ts'
import { get, signedIn, submit, toldOf } from './fixture.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['app', 'account', 'files'] })
const { db } = stack
const { url } = stack.ingress

async function scene() {
  const { org } = await testOrg(db, [], { plan: 'unlimited' })
  const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
  return { org, developer, viewer }
}

const { org, developer, viewer } = await scene()
const foreign = (await scene()).developer
const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }

/** What came through the walls around a thing of the organisation; `changes` are paths with the fields that are sent to them. */
async function breaches(pages: readonly string[], changes: Readonly<Record<string, Record<string, string>>>) {
  const asked: [string, number, number][] = []
  for (const path of pages) asked.push([`${path} of another`, 404, (await get(url, path, foreign)).status])
  for (const [path, fields] of Object.entries(changes)) {
    asked.push(
      [`${path} of another`, 404, (await submit(url, path, foreign, fields)).status],
      [`${path} by a viewer`, 403, (await submit(url, path, viewer, fields)).status],
      [`${path} from elsewhere`, 403, (await submit(url, path, developer, fields, elsewhere)).status],
      [`${path} with two tokens`, 403, (await submit(url, path, developer, { ...fields, token: 'x' })).status],
    )
  }
  return asked.filter(([, wanted, status]) => status !== wanted)
}

/** What the page's script is given, as the server opens an upload. */
const sessionOf = (text: string) =>
  JSON.parse((/data-session="([^"]+)"/.exec(text)?.[1] ?? 'null').replaceAll('&quot;', '"').replaceAll('&amp;', '&'))

const idOf = (location: string | null): string => /[0-9a-f-]{36}/.exec(location ?? '')?.[0] ?? ''

t.test('the lists are empty at first, and viewers see them without what changes them', async (t) => {
  const fresh = await scene()
  for (const [path, words, button] of [
    ['/app/videos', 'No videos yet', '/app/videos/upload'],
    ['/app/live', 'No live channels yet', '/app/live/new'],
    ['/app/files', 'No files yet', '/app/files/upload'],
    ['/app/rooms', 'No rooms yet', '/app/rooms/new'],
  ] as const) {
    const page = await get(url, path, fresh.developer)
    t.match(page.text, words)
    t.match(page.text, `href="${button}"`)
    t.notMatch((await get(url, path, fresh.viewer)).text, `href="${button}"`)
    t.equal((await get(url, button, fresh.viewer)).status, 403, button)
    t.equal((await submit(url, button, fresh.viewer, {})).status, 403, button)
    t.equal((await get(url, `${path}/no-id`, fresh.developer)).status, 404, path)
  }
})

t.test('an upload is opened for the dashboard alone, and gone on with by its organisation', async (t) => {
  const page = await get(url, '/app/videos/upload', developer)
  t.match(page.text, /MPEG-TS.*animated GIF.*WavPack/, 'says what it accepts')
  const policy = page.headers.get('content-security-policy') ?? ''
  t.match(policy, `connect-src 'self' ${url} ${stack.store.storage.publicOrigin};`)
  t.match(policy, "script-src 'self'; style-src 'self'")
  const given = { bytes: '7', filename: 'a.mp4', type: 'video/mp4', title: 'Mine' }
  const session = sessionOf((await submit(url, '/app/videos/upload', developer, given)).text)
  t.match(session, { kind: 'video', api: url, to: /^\/app\/videos\/[0-9a-f-]{36}$/ })
  const status = (origin: string, token = session.token) =>
    stack.ask(`GET /v1/stream/uploads/${session.id}`, { key: token, headers: { origin } })
  t.equal((await status(url)).status, 200)
  t.equal((await status('https://evil.example')).status, 403)
  t.match((await get(url, session.to, developer)).text, /Choose the same file again/)
  t.notMatch((await get(url, session.to, viewer)).text, /Choose the same file again/)
  const { id, to, token } = sessionOf((await submit(url, `${session.to}/resume`, developer, given)).text)
  t.same([id, to], [session.id, session.to])
  t.equal((await status(url, token)).status, 200)
  t.same(await breaches([session.to], { [`${session.to}/resume`]: given }), [])

  const faulty = await submit(url, '/app/videos/upload', developer, { ...given, bytes: '', title: 'x'.repeat(501) })
  t.equal(faulty.status, 400)
  t.match(faulty.text, /id="file-fault">is required\. Turn on JavaScript to upload a file here\./)
  const long = await submit(url, '/app/videos/upload', developer, { ...given, title: 'x'.repeat(501) })
  t.match(long.text, /id="title-fault">/)
})

t.test('a video is watched, shown to others, and deleted by who may', async (t) => {
  const { id } = await playableAsset(db, org.id)
  const path = `/app/videos/${id}`
  t.match((await get(url, path, viewer)).text, `POST ${url}/v1/stream/assets/${id}/playback-sessions`)
  const played = await get(url, `${path}/watch`, developer)
  t.match(played.text, new RegExp(`<iframe class="player" src="${url}/v1/stream/play/[^"]+/embed"`))
  t.match(played.headers.get('content-security-policy'), `frame-src ${url};`)
  t.equal((await get(url, `${path}/watch`, viewer)).status, 403)
  t.match((await get(url, path, developer)).text, `data-player="${path}/play"`)
  t.notMatch((await get(url, path, viewer)).text, 'data-player')
  t.match((await get(url, `${path}/play`, developer)).headers.get('location'), /\/v1\/stream\/play\/[^/]+\/embed\?/)
  await get(url, `${path}/watch`, developer)
  t.match(await toldOf(db, org.id, developer, /^contents/), [
    { action: 'contents.read', target: id, after: { kind: 'video' } },
  ])
  t.same(await toldOf(db, org.id, viewer, /^contents/), [])
  t.equal((await submit(url, `${path}/visibility`, developer, { visibility: 'odd' })).status, 400)
  t.equal((await submit(url, `${path}/captions`, developer, { language: 'en' })).status, 303)
  t.match(
    (await get(url, path, viewer)).text,
    /en <span class="quiet">automatic<\/span> <span class="badge progress is-waiting">.*queued/,
  )
  t.equal((await submit(url, `${path}/visibility`, developer, { visibility: 'public' })).status, 303)
  const embedded = (await get(url, path, viewer)).text
  t.match(embedded, `data-copy="${url}/v1/stream/open/${id}/master.m3u8"`)
  t.match(embedded, `&lt;iframe src=&quot;${url}/v1/stream/open/${id}/embed&quot;`)
  t.match(embedded, `&lt;mill-player playback-id=&quot;${id}&quot;`)
  t.match(embedded, 'Every site can embed the player.')
  const changes = {
    [`${path}/visibility`]: { visibility: 'private' },
    [`${path}/captions`]: { language: 'en' },
    [`${path}/remove`]: {},
  }
  t.same(await breaches([path, `${path}/watch`, `${path}/play`, `${path}/remove`], changes), [])
  t.equal((await submit(url, `${path}/remove`, developer, {})).headers.get('location'), '/app/videos')
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('a channel shows its keys once, to who made it', async (t) => {
  const given = { name: 'Main stage', slug: 'main', visibility: 'signed', record: 'yes' }
  const made = await submit(url, '/app/live/new', developer, given)
  const key = /<code>(live_\w+)<\/code>/.exec(made.text)?.[1] ?? ''
  t.ok(key)
  const id = idOf(/\/app\/live\/[0-9a-f-]{36}/.exec(made.text)?.[0] ?? '')
  const path = `/app/live/${id}`
  const [page, seen] = [await get(url, path, developer), await get(url, path, viewer)]
  t.match(page.text, 'data-copy="rtmp://')
  t.match(page.text, /Settings[\s\S]*Custom…[\s\S]*&lt;mill-player src=&quot;HLS_URL/)
  t.notMatch(page.text, key)
  t.notMatch(seen.text, 'rtmp://')
  t.match(seen.text, 'idle')
  const again = await submit(url, '/app/live/new', developer, given)
  t.equal(again.status, 409)
  const faulty = await submit(url, '/app/live/new', developer, { ...given, slug: 'Not A Slug' })
  t.match(faulty.text, /id="slug-fault">must contain only lower-case/)
  t.match((await submit(url, `${path}/key`, developer, { which: 'primary' })).text, /<code>live_\w+<\/code>/)
  const settings = { ...given, name: 'Big stage', dvrSeconds: '60', renditions: ['360', '720'], slate: 'yes' }
  t.equal((await submit(url, `${path}/settings`, developer, settings)).status, 303)
  t.match((await get(url, path, developer)).text, /Big stage[\s\S]*720p, 360p[\s\S]*slate/)
  t.match((await get(url, `${path}/settings`, developer)).text, /value="720" checked[\s\S]*value="480">/)
  const bad = await submit(url, `${path}/settings`, developer, { ...settings, dvrSeconds: '-1' })
  t.match(bad.text, /id="dvrSeconds-fault"/)
  t.equal((await submit(url, `${path}/end`, developer, {})).status, 303)
  t.match((await get(url, path, developer)).text, 'No publisher is connected to the channel.')
  t.match((await get(url, `${path}/watch`, developer)).text, `${url}/v1/stream/live/watch/`)
  t.match((await toldOf(db, org.id, developer, /^contents/))[0], { target: id, after: { kind: 'live_channel' } })
  const changes = {
    [`${path}/settings`]: { ...given, dvrSeconds: '60', slate: 'no' },
    [`${path}/key`]: { which: 'srt' },
    [`${path}/end`]: {},
    [`${path}/remove`]: {},
  }
  t.same(await breaches([path, `${path}/watch`, `${path}/key`, `${path}/settings`, `${path}/remove`], changes), [])
  t.equal((await submit(url, `${path}/remove`, developer, {})).status, 303)
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('a file is announced, held back while it is not found clean, and deleted', async (t) => {
  const given = { bytes: '6', filename: 'note.txt', type: 'text/plain', product_key: 'crm', tenant_id: 'acme' }
  const faulty = await submit(url, '/app/files/upload', developer, { ...given, filename: 'a/b', tenant_id: ' ' })
  t.match(faulty.text, /id="file-fault">must be a file name without folders/)
  t.match(faulty.text, /id="tenant_id-fault">/)
  const { id, to, headers } = sessionOf((await submit(url, '/app/files/upload', developer, given)).text)
  t.same([to, headers], [`/app/files/${id}`, { 'content-type': 'text/plain' }])
  t.match((await get(url, to, viewer)).text, /awaiting upload[\s\S]*upload the file again/)
  t.equal((await get(url, `${to}/download`, developer)).status, 409)
  t.equal((await get(url, `${to}/download`, viewer)).status, 403)
  t.same(
    (await toldOf(db, org.id, developer, /^contents/)).filter(({ target }) => target === id),
    [],
    'nothing was read',
  )
  t.equal((await get(url, '/app/files?scan_status=odd', viewer)).status, 400)
  await db.transaction((tx) => foundClean(tx, { id, orgId: org.id }))
  const downloaded = await get(url, `${to}/download`, developer)
  t.equal(downloaded.status, 303)
  t.match(downloaded.headers.get('location'), stack.store.storage.publicOrigin)
  t.match((await toldOf(db, org.id, developer, /^contents/))[0], { target: id, after: { kind: 'file' } })
  t.same(await breaches([to, `${to}/download`, `${to}/remove`], { [`${to}/remove`]: {} }), [])
  t.match((await get(url, to, developer)).text, /The scan found nothing harmful[\s\S]*download-url/)
  t.match((await get(url, `/app/files/delete?id=${id}`, developer)).text, 'Delete 1 file')
  t.same(
    await breaches([], { '/app/files/delete': { id } }).then((all) =>
      all.filter(([path]) => !path.endsWith('of another')),
    ),
    [],
  )
  t.equal((await submit(url, '/app/files/delete', developer, { id })).headers.get('location'), '/app/files')
  t.equal((await get(url, to, developer)).status, 404)
})

t.test('a file is made public, signed, and private again', async (t) => {
  const given = { bytes: '6', filename: 'note.txt', type: 'text/plain', product_key: 'crm', tenant_id: 'acme' }
  const { id, to } = sessionOf((await submit(url, '/app/files/upload', developer, given)).text)
  await stack.store.storage.put(id, Buffer.from('a note'), { contentType: 'text/plain' })
  await db.transaction((tx) => foundClean(tx, { id, orgId: org.id }))
  const file = `${url}/f/${id}/note.txt`
  const show = async (visibility: string) => await submit(url, `${to}/visibility`, developer, { visibility })
  t.match((await get(url, to, developer)).text, 'The file has no URL.')
  t.equal((await show('public')).headers.get('location'), to)
  t.match((await get(url, to, viewer)).text, `<code>${file}</code>`)
  t.equal(await (await fetch(file)).text(), 'a note')
  t.match((await get(url, '/app/files?visibility=public', viewer)).text, to)
  t.notMatch((await get(url, '/app/files?visibility=private', viewer)).text, to)
  await show('signed')
  t.equal((await fetch(file)).status, 403)
  t.match((await submit(url, `${to}/signed-url`, developer, { expires_in: '1' })).text, 'id="expires_in-fault"')
  const made = await submit(url, `${to}/signed-url`, developer, { expires_in: '3600', disposition: 'attachment' })
  const signed = /<code>([^<]*\?token=[^<]*)</.exec(made.text)?.[1] ?? ''
  const answer = await fetch(signed)
  t.match([answer.status, answer.headers.get('content-disposition')], [200, /^attachment/])
  t.match((await toldOf(db, org.id, developer, /^contents/))[0], { target: id, after: { kind: 'file' } })
  const changes = { [`${to}/visibility`]: { visibility: 'public' }, [`${to}/signed-urls/revoke`]: {} }
  t.same(await breaches([`${to}/signed-url`], changes), [])
  await submit(url, `${to}/signed-urls/revoke`, developer, {})
  t.equal((await fetch(signed)).status, 403)
  await show('private')
  t.equal((await fetch(signed)).status, 404)
  t.match(
    (await toldOf(db, org.id, developer, /^file/)).map(({ action }) => action),
    ['file.updated', 'file.urls_revoked', 'file.updated', 'file.updated'],
  )
})

const guestFields = { role: 'viewer', hours: '24' }

/** The signed part of a guest link that the developer creates on the page of a room. */
async function guestLink(path: string): Promise<string> {
  await submit(url, `${path}/guests/new`, developer, guestFields)
  return /\/join\?invite=([\w.-]+)/.exec((await get(url, path, developer)).text)?.[1] ?? ''
}

t.test('a room is made, gone into, and ended', async (t) => {
  const given = { name: 'Stand-up', maxParticipants: '', record: 'no' }
  const faulty = await submit(url, '/app/rooms/new', developer, { ...given, maxParticipants: 'many' })
  t.match(faulty.text, /id="maxParticipants-fault">must be a whole number/)
  const path = (await submit(url, '/app/rooms/new', developer, given)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, 'No participants.')
  t.notMatch((await get(url, path, viewer)).text, `${path}/join`)
  const joined = await get(url, `${path}/join`, developer)
  t.equal(joined.status, 303)
  t.match(joined.headers.get('location'), `${url}/v1/stream/rooms/${idOf(path)}/join?token=`)
  t.equal((await get(url, `${path}/join`, viewer)).status, 403)
  const link = await guestLink(path)
  const guests = `GET /v1/stream/rooms/${idOf(path)}/guests?invite=${link}`
  t.match(await stack.ask(guests), { status: 200, body: { name: 'Stand-up', role: 'viewer' } })
  const guest = { invite: link, displayName: 'Gina' }
  const admitted = await stack.ask(`POST /v1/stream/rooms/${idOf(path)}/guests`, { body: guest })
  t.equal((await stack.ask(`POST /v1/stream/rooms/${idOf(path)}/guests`, { body: { invite: link } })).status, 400)
  const { status } = await stack.ask(`GET /v1/stream/rooms/${idOf(path)}/connect?token=${admitted.body.token}`)
  t.equal(status, 503, 'the token is good, but no worker is there')
  t.notMatch((await get(url, path, viewer)).text, 'invite=')
  const revoke = /\/app\/rooms\/[^"]+\/revoke/.exec((await get(url, path, developer)).text)?.[0] ?? ''
  t.same(await breaches([`${path}/guests/new`], { [revoke]: {}, [`${path}/guests/new`]: guestFields }), [])
  t.equal((await submit(url, revoke, developer, {})).status, 303)
  t.match(await stack.ask(guests), { status: 403, body: { error: { code: 'token_revoked' } } })
  const unused = await stack.ask(`GET /v1/stream/rooms/${idOf(path)}/connect?token=${admitted.body.token}`)
  t.match(unused, { status: 401, body: { error: { code: 'token_invalid' } } }, 'nor do the tokens that it gave out')
  const target = { name: 'Elsewhere', url: 'http://live.example.com/app', streamKey: 'theirs' }
  t.match((await submit(url, `${path}/restreams/new`, developer, target)).text, /id="url-fault">/)
  target.url = 'rtmp://live.example.com/app'
  t.equal((await submit(url, `${path}/restreams/new`, developer, target)).headers.get('location'), path)
  const shown = (await get(url, path, developer)).text
  t.match(shown, 'rtmp://live.example.com/app')
  t.notMatch(shown, 'theirs')
  const one = new RegExp(`${path}/restreams/[0-9a-f-]{36}`).exec(shown)?.[0] ?? ''
  const actions = { [`${path}/restreams/new`]: target, [`${one}/off`]: {}, [`${one}/remove`]: {}, [`${path}/end`]: {} }
  t.same(await breaches([path, `${path}/join`, `${path}/restreams/new`, `${path}/end`], actions), [])
  t.equal((await submit(url, `${one}/off`, developer, {})).status, 303)
  t.match((await get(url, path, developer)).text, 'paused')
  t.equal((await submit(url, `${one}/on`, developer, {})).status, 303)
  t.equal((await submit(url, `${one}/remove`, developer, {})).status, 303)
  t.notMatch((await get(url, path, developer)).text, 'rtmp://live.example.com/app')
  t.equal((await submit(url, `${path}/end`, developer, {})).status, 303)
  t.match((await get(url, path, developer)).text, 'ended')
  t.equal((await get(url, `${path}/join`, developer)).status, 409)
})
