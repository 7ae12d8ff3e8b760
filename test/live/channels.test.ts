import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { hashSecret } from '#lib/tokens.ts'
import { sql } from '#sql/db.ts'
import { listen } from '#sql/listen.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { setKeepsEvents } from '#sql/webhooks/settings.ts'
import { endBroadcast, markBroadcastLive, markBroadcastRecorded } from '#tasks/live/rules/broadcasts.ts'
import { live } from '../../ingress/live/index.ts'
import { signIn } from '../console/fixture.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { endLease, leaseholder } from '../support/leaseholder.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t, { areas: ['directory', 'console'] })
const { db, ask, orgId } = stack
const base = '/v1/stream/live/channels'
const create = async (body: object = { name: 'Main stage' }) => (await ask(`POST ${base}`, { body })).body
const read = async (id: string) => (await ask(`GET ${base}/${id}`)).body

const told: string[] = []
const listener = listen(stack.databaseUrl, [channels.liveChannel, channels.revokedChannel])
for (const channel of [channels.liveChannel, channels.revokedChannel])
  listener.on(channel, (payload) => told.push(`${channel} ${payload}`))
t.teardown(() => listener.close())

/** What a worker does when a publisher comes. */
async function publish(channelId: string, state: 'connecting' | 'live' = 'live') {
  const [broadcast_id, worker_id] = [newId(), await leaseholder(db, 'live')]
  await broadcasts.insert(db, { id: broadcast_id, org_id: orgId, channel_id: channelId, record: true })
  const hold = {
    channel_id: channelId,
    worker_id,
    origin_url: 'http://127.0.0.1:9',
    source: 'primary' as const,
    broadcast_id,
  }
  const held = await liveSessions.claim(db, hold)
  const facts = { bitRate: 2_500_000.4, frameRate: 30, videoCodec: 'avc1.64001f', width: 1280, height: 720 }
  const renew = (hasPart = true) => liveSessions.renew(db, { ...hold, state, facts }, { hasPart })
  if (held && state === 'live') await renew()
  return { ...hold, held, renew }
}

t.test('a channel’s keys are shown once: afterwards there are hashes, and the passphrase sealed', async (t) => {
  const made = await ask(`POST ${base}`, { body: { name: 'Große Bühne!', dvrSeconds: 60 } })
  t.equal(made.status, 201, made.text)
  const { channelId, ingest, playback } = made.body
  t.match(made.body, { slug: 'grosse-buhne', record: true, dvrSeconds: 60 }, 'an address of plain letters')
  t.equal(ingest.rtmp.url, 'rtmp://127.0.0.1:1936/live')
  t.equal(ingest.backup.url, ingest.rtmp.url)
  t.match(ingest.rtmp.streamKey, /^live_[0-9A-Za-z]{43}$/)
  t.not(ingest.rtmp.streamKey, ingest.backup.streamKey)
  const srt = new URL(ingest.srt)
  t.match(ingest.srt, /^srt:\/\/127\.0\.0\.1:\d+\?mode=caller&passphrase=\w{43}&pbkeylen=16$/)
  t.match(playback.hls, `/v1/stream/live/hls/${channelId}/index.m3u8`)

  const secrets = [ingest.rtmp.streamKey, ingest.backup.streamKey, srt.searchParams.get('passphrase')]
  const shown = [await read(channelId), (await ask(`GET ${base}`)).body]
  const stored = await db.one(sql.type(z.object({ row: z.string() }))`
    select to_json(c)::text as row from live.channels as c where id = ${channelId}`)
  for (const secret of secrets) t.notOk(JSON.stringify([shown, stored]).includes(secret))
  const row = await channels.findAny(db, channelId)
  t.equal(createSeal(signingSecret, channels.sealPurpose).open(row?.srt_passphrase ?? '', channelId), secrets[2])
  for (const [key, which] of [
    [secrets[0], 'primary'],
    [secrets[1], 'backup'],
  ])
    t.match(await channels.findByKey(db, hashSecret(key)), { channel: { id: channelId }, which })
  t.match(shown[0], { state: 'idle', stream: null, ingest: { srt: { port: Number(srt.port) } } })
})

t.test('slugs and ports are a channel’s own, however many are made at once', async (t) => {
  const made = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Same' })))
  const ports = made.map(({ ingest }) => new URL(ingest.srt).port)
  t.equal(new Set(ports).size, 6)
  t.strictSame(made.map(({ slug }) => slug).toSorted(), ['same', ...[2, 3, 4, 5, 6].map((n) => `same-${n}`)])
  const twice = await ask(`POST ${base}`, { body: { name: 'x', slug: 'same-3' } })
  t.match(twice, { status: 409, body: { error: { code: 'slug_taken', details: { slug: 'same-3' } } } })
  const [first, second] = made
  t.equal((await ask(`PATCH ${base}/${first.channelId}`, { body: { slug: second.slug } })).status, 409)
  t.match((await ask(`PATCH ${base}/${first.channelId}`, { body: { slug: first.slug, record: false } })).body, {
    slug: first.slug,
    record: false,
    name: 'Same',
  })
  t.equal((await ask(`DELETE ${base}/${first.channelId}`)).status, 200)
  t.match(await create({ name: 'Same', slug: first.slug }), { slug: first.slug }, 'a deleted channel gives both back')
  const page = await ask(`GET ${base}?limit=3`)
  t.equal(page.body.data.length, 3)
  const rest = await ask(`GET ${base}?limit=100&cursor=${page.body.next_cursor}`)
  const ids = [...page.body.data, ...rest.body.data].map(({ channelId }) => channelId)
  t.equal(new Set(ids).size, ids.length)
  t.notOk(ids.includes(first.channelId))
})

t.test('a plan’s channels are counted', async (t) => {
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'], { plan: 'free' })
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ask(`POST ${base}`, { key: keys.main, body: { name: 'a' } })),
  )
  t.equal(answers.filter(({ status }) => status === 201).length, 2)
  const refused = answers.find(({ status }) => status === 400)
  t.match(refused?.body, { error: { code: 'plan_limit_exceeded', details: { max: 2 } } })
})

t.test('it is live while parts come, and only under a lease that holds', async (t) => {
  const { channelId } = await create()
  const connecting = await publish(channelId, 'connecting')
  t.match(await read(channelId), { state: 'connecting', stream: { source: 'primary', bitRate: null, warnings: [] } })
  t.equal((await publish(channelId)).held, null, 'another worker does not get it')
  await liveSessions.release(db, channelId, connecting.worker_id)
  t.equal((await read(channelId)).state, 'idle')

  const { renew, broadcast_id, worker_id } = await publish(channelId)
  const { keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url: stack.ingress.url, key: keys.main, orgId })
  const page = await stack.ingress.ask('GET /ops/broadcasts', { headers: { cookie } })
  t.match(page, {
    status: 200,
    text: /Main stage.*primary, http:\/\/127\.0\.0\.1:9.*1280×720, 30\/s.*2\.5 Mbit\/s/s,
  })
  const live = await read(channelId)
  t.match(live, {
    state: 'live',
    stream: { broadcastId: broadcast_id, bitRate: 2_500_000, frameRate: 30, width: 1280 },
  })
  const listed = (await ask(`GET ${base}`)).body.data.find((one: { channelId: string }) => one.channelId === channelId)
  t.equal(listed.state, 'live')
  await db.query(sql.typeAlias('void')`
    update live.sessions set last_part_at = now() - interval '11 seconds' where channel_id = ${channelId}`)
  await renew(false)
  t.equal((await read(channelId)).state, 'connecting', 'whatever its worker says')
  await renew()
  t.equal((await read(channelId)).state, 'live')
  await endLease(db, worker_id)
  t.match(await read(channelId), { state: 'idle', stream: null })
  t.equal(await renew(), null, 'its worker learns of it')
  t.ok((await publish(channelId)).held, 'another worker takes it')
})

t.test('a rotated key opens nothing any more, the other still does; workers are told', async (t) => {
  const { channelId, ingest } = await create()
  for (const [which, old] of [
    ['primary', ingest.rtmp.streamKey],
    ['backup', ingest.backup.streamKey],
  ]) {
    told.length = 0
    const rotated = await ask(`POST ${base}/${channelId}/keys/rotate`, { body: which === 'primary' ? {} : { which } })
    t.equal(rotated.status, 201)
    const { streamKey, url } = rotated.body
    t.equal(url, `rtmp://127.0.0.1:1936/live/${streamKey}`)
    t.equal(await channels.findByKey(db, hashSecret(old)), null)
    t.match(await channels.findByKey(db, hashSecret(streamKey)), { channel: { id: channelId }, which })
    await until(() => told.includes(`${channels.liveChannel} ${channelId}`))
  }
  const { streamKey, url } = (await ask(`POST ${base}/${channelId}/keys/rotate`, { body: { which: 'srt' } })).body
  t.equal(new URL(url).searchParams.get('passphrase'), streamKey)
  t.equal(new URL(url).port, new URL(ingest.srt).port)
  t.notOk(ingest.srt.includes(streamKey))
  t.match(await ask(`POST ${base}/${channelId}/keys/rotate`), { status: 201, body: { which: 'primary' } })
  const strange = await ask(`POST ${base}/${channelId}/keys/rotate`, { body: { which: 'third' } })
  t.strictSame([strange.status, fieldsOf(strange)], [400, ['body.which']])
})

t.test('a channel and the console tell its last refusal, which is written once a second at most', async (t) => {
  const { channelId } = await create({ name: 'Refusing stage' })
  t.equal((await read(channelId)).lastRefusal, null)
  const note = (reason: refusals.Reason) => refusals.note(db, { channel_id: channelId, source: 'backup', reason })
  const age = () =>
    db.query(sql.typeAlias('void')`
      update live.refusals set refused_at = refused_at - interval '2 seconds' where channel_id = ${channelId}`)
  await note('closed')
  const { lastRefusal } = await read(channelId)
  t.match(lastRefusal, { source: 'backup', reason: 'closed', message: /closedUntil/ })
  await db.query(sql.typeAlias('void')`
    update live.refusals set refused_at = clock_timestamp() where channel_id = ${channelId}`)
  await Promise.all(Array.from({ length: 5 }, () => note('key_in_use')))
  t.equal((await read(channelId)).lastRefusal.reason, 'closed', 'within the second nothing is written')
  await age()
  await note('key_in_use')
  t.match((await read(channelId)).lastRefusal, { reason: 'key_in_use', message: /Another encoder/ })
  const { keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url: stack.ingress.url, key: keys.main, orgId })
  const page = await stack.ingress.ask('GET /ops/broadcasts', { headers: { cookie } })
  t.match(page.text, /Recently rejected.*Refusing stage.*Another encoder is publishing/s)
})

t.test('a broadcast is ended by its worker, its encoder is kept away, and its recording is told of', async (t) => {
  const { channelId } = await create()
  const path = `${base}/${channelId}`
  t.match(await ask(`POST ${path}/end`, { body: {} }), { status: 409, body: { error: { code: 'channel_idle' } } })
  const { broadcast_id, worker_id, renew } = await publish(channelId)
  const only = async () => (await ask(`GET ${path}/broadcasts`)).body.data[0]
  t.match(await only(), { broadcastId: broadcast_id, endedAt: null, recording: 'recording', assetId: null })
  await setKeepsEvents(db, orgId, true)
  await markBroadcastLive(db, broadcast_id)
  await markBroadcastLive(db, broadcast_id)

  const ended = await ask(`POST ${path}/end`, { body: { holdSeconds: 60 } })
  t.match(ended, { status: 202, body: { channelId, broadcastId: broadcast_id, holdSeconds: 60 } })
  t.equal((await renew())?.end_requested, 'ended', 'its worker learns of it with the next renewal')
  await liveSessions.release(db, channelId, worker_id)
  await endBroadcast(db, broadcast_id, 'ended')
  await endBroadcast(db, broadcast_id, 'lost')
  t.ok(Date.parse((await read(channelId)).closedUntil) > Date.now() + 50_000)
  t.equal((await publish(channelId)).held, null, 'nobody publishes meanwhile')
  const [, first] = (await ask(`GET ${path}/broadcasts`)).body.data
  t.match(first, { endReason: 'ended', recording: 'processing' })

  const started = await ask('POST /v1/stream/uploads', { body: { bytes: 10 } })
  await broadcasts.setAsset(db, broadcast_id, started.body.assetId)
  await markBroadcastRecorded(db, broadcast_id)
  await markBroadcastRecorded(db, broadcast_id)
  t.match((await ask(`GET ${path}/broadcasts`)).body.data[1], { recording: 'ready', assetId: started.body.assetId })
  const events = await db.any(sql.type(z.object({ type: z.string() }))`
    select type from webhooks.events where type like 'video.live.%' order by id`)
  const names = events.map(({ type }) => type)
  t.strictSame(names, ['video.live.started', 'video.live.ended', 'video.live.recorded'], 'each is told once')
})

t.test('deleting a channel ends its broadcast, its keys and its viewers’ tokens', async (t) => {
  const { channelId, ingest } = await create()
  const { renew } = await publish(channelId)
  const { hlsUrl } = (await ask(`POST ${base}/${channelId}/playback-sessions`, { body: {} })).body
  t.equal((await ask(`DELETE ${base}/${channelId}`)).status, 200)
  t.equal((await renew())?.end_requested, 'deleted')
  t.equal(await channels.findByKey(db, hashSecret(ingest.rtmp.streamKey)), null)
  for (const request of [
    `GET ${base}/${channelId}`,
    `DELETE ${base}/${channelId}`,
    `GET ${base}/${channelId}/broadcasts`,
  ])
    t.equal((await ask(request)).status, 404, request)
  const page = hlsUrl.replace('/play/', '/watch/').replace('/index.m3u8', '')
  t.match(await ask(`GET ${new URL(page).pathname}`), { status: 403, text: /has been revoked/ })
})

t.test('a live token opens its channel alone, on its host, while it holds; on-demand tokens open none', async (t) => {
  const { channelId } = await create()
  const mint = (body: object, id = channelId) => ask(`POST ${base}/${id}/playback-sessions`, { body })
  const minted = await mint({ expiresInSeconds: 60 })
  t.equal(minted.status, 201, minted.text)
  const { sessionId, token, hlsUrl, embedUrl, durationSeconds } = minted.body
  t.equal(durationSeconds, 0)
  t.equal(hlsUrl, `${stack.ingress.url}/v1/stream/live/play/${token}/index.m3u8`)
  const watch = (given: string) => stack.ingress.ask(`GET /v1/stream/live/watch/${given}`)
  t.match(await watch(token), { status: 200, text: /live\.js/ })
  t.equal(new URL(embedUrl).pathname, `/v1/stream/live/watch/${token}`)
  t.match(await watch(`${token}x`), { status: 403, text: /not valid/ })
  const proxied = await stack.another(db, { trustedProxies: ['127.0.0.1'] })
  const headers = { 'x-forwarded-host': 'elsewhere.example' }
  t.match(await proxied.ask(`GET /v1/stream/live/watch/${token}`, { headers }), {
    status: 403,
    text: /a different site/,
  })
  t.match(await proxied.ask(`GET /v1/stream/live/watch/${token}`), { status: 200 })

  const bare = await stack.ingress.ask(`GET /v1/stream/live/hls/${channelId}/index.m3u8`)
  t.match(bare, { status: 401, body: { error: { code: 'unauthorized', message: /`\?token=`.*playback-sessions/ } } })

  const { id: assetId } = await playableAsset(db, orgId)
  const onDemand = (await ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: {} })).body
  t.equal((await ask(`GET ${new URL(onDemand.hlsUrl).pathname}`)).status, 200)
  t.match(await ask(`GET /v1/stream/play/${token}/master.m3u8`), {
    status: 403,
    body: { error: { code: 'token_invalid' } },
  })
  t.match(await ask(`GET /v1/stream/play/${token}/embed`), { status: 403, text: /not valid/ })
  t.match(await watch(onDemand.token), { status: 403, text: /not valid/ })

  t.equal((await ask(`DELETE /v1/stream/assets/playback-sessions/${sessionId}`)).status, 200)
  t.match(await watch(token), { status: 403, text: /has been revoked/ })
  await until(() => told.includes(`${channels.revokedChannel} ${sessionId}`))
  const late = (await mint({})).body
  await db.query(sql.typeAlias('void')`
    update video.playback_sessions set expires_at = now() - interval '1 second' where id = ${late.sessionId}`)
  t.match(await watch(late.token), { status: 403, text: /has been revoked/ })
})

t.test(
  'a viewer’s sessions count whatever they watch; bad wishes and settings are named by their fields',
  async (t) => {
    const { channelId } = await create()
    const { id: assetId } = await playableAsset(db, orgId)
    const live = (body: object) => ask(`POST ${base}/${channelId}/playback-sessions`, { body })
    const one = { viewerId: 'ann', maxConcurrent: 1 }
    t.equal((await live(one)).status, 201)
    t.match(await live(one), { status: 409, body: { error: { code: 'viewer_concurrency_reached' } } })
    t.equal((await ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: one })).status, 409)
    t.strictSame(fieldsOf(await live({ maxConcurrent: 2 })), ['body.maxConcurrent'])
    t.strictSame(fieldsOf(await live({ host: 'nobody.example' })), ['body.host'])
    const wrong = { expiresInSeconds: 5, allowedCountries: ['XX'], viewer: 'a' }
    t.strictSame(fieldsOf(await live(wrong)), ['body.allowedCountries.0', 'body.expiresInSeconds', 'body.viewer'])

    const bad = { name: ' ', slug: 'Not a slug', record: 'yes', dvrSeconds: -1, keys: 1 }
    const faults = await ask(`POST ${base}`, { body: bad })
    t.strictSame(
      [faults.status, fieldsOf(faults)],
      [400, ['dvrSeconds', 'keys', 'name', 'record', 'slug'].map((f) => `body.${f}`)],
    )
    for (const body of [{}, { dvrSeconds: 1e9 }, { slug: 'a--b' }])
      t.equal((await ask(`PATCH ${base}/${channelId}`, { body })).status, 400, JSON.stringify(body))
    t.strictSame(fieldsOf(await ask(`POST ${base}/${channelId}/end`, { body: { holdSeconds: 1e6 } })), [
      'body.holdSeconds',
    ])
    for (const id of ['x', newId(), '%00'])
      t.equal((await ask(`POST ${base}/${id}/playback-sessions`, { body: {} })).status, 404, id)
    const { keys } = await testOrg(db, ['stream:read'], { plan: 'unlimited' })
    t.equal((await ask(`POST ${base}`, { key: keys.main, body: { name: 'a' } })).status, 403)
  },
)

t.test('nobody reaches what another organisation has, by any operation of live', async (t) => {
  const { channelId } = await create()
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'], { plan: 'unlimited' })
  const operations = live.operations.filter(({ path, route }) => path.startsWith(`${base}/{`) && !route.public)
  t.equal(operations.length, 28)
  const bodies: Record<string, object> = {
    'live.restreams.create': { name: 'theirs', url: 'rtmps://live.example.com:443/app', streamKey: 'key' },
    'live.clips.create': { lastSeconds: 10 },
    'live.schedule.create': { title: 'Theirs', startsAt: new Date(Date.now() + 3_600_000).toISOString() },
    'live.schedule.update': { title: 'Theirs' },
    'live.chat.update': { opens: 'always' },
    'live.chat-tokens.create': { userId: 'theirs', name: 'Theirs' },
    'live.chat-messages.create': { name: 'Theirs', text: 'Theirs' },
  }
  for (const { id, path, route } of operations) {
    const usual = { GET: undefined, DELETE: undefined, POST: {}, PUT: {}, PATCH: { name: 'theirs' } }[route.method]
    const body = bodies[id] ?? usual
    const asked = path.replace('{channelId}', channelId).replace(/\{\w+\}/, newId())
    const reply = await ask(`${route.method} ${asked}`, { key: keys.main, body })
    t.match(reply, { status: 404, body: { error: { code: 'not_found' } } }, id)
  }
  t.match(await read(channelId), { name: 'Main stage' })
})
