import { join } from 'node:path'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { endBroadcast, markBroadcastLive } from '#tasks/live/rules/broadcasts.ts'
import { insertAsset } from '../support/assets.ts'
import { testOrg } from '../support/ingress.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { onAir, recorded, testOrigin } from './on-air.ts'

const stack = await videoStack(t, { areas: ['directory'] })
const { db, orgId } = stack
const origin = await testOrigin(t, stack)
const { keys, org: them } = await testOrg(db, ['streaming:read', 'streaming:write', 'stream:read', 'stream:write'])
const theirs = keys.main
const platform = (await testOrg(db, ['streaming:read'])).keys.main
const lists = async (query = '') => (await stack.ask(`GET /v1/streaming/live${query}`, { key: platform })).body.data
const change = (id: string, body: object) => stack.ask(`PATCH /v1/stream/live/channels/${id}`, { body })
const input = await recorded(join(stack.data, 'short.flv'), 6)

t.test('a public channel is listed from when it can be watched until it ends', async (t) => {
  const { body: made } = await stack.ask('POST /v1/stream/live/channels', {
    body: { name: 'Harbour', visibility: 'public' },
  })
  t.match(made, {
    visibility: 'public',
    playback: { open: `${stack.ingress.url}/v1/stream/live/open/${made.channelId}/` },
  })
  const [broadcast_id, worker_id] = [newId(), await leaseholder(db, 'live')]
  await broadcasts.insert(db, { id: broadcast_id, org_id: orgId, channel_id: made.channelId, record: true })
  const hold = {
    channel_id: made.channelId,
    worker_id,
    broadcast_id,
    origin_url: origin.url,
    source: 'primary' as const,
  }
  await liveSessions.claim(db, hold)
  t.same(await lists(), [], 'not before it can be watched')
  await db.transaction((tx) => markBroadcastLive(tx, broadcast_id))
  await liveSessions.renew(db, { ...hold, state: 'live', facts: { viewers: 7 } }, { hasPart: true })
  const [shown, ...others] = await lists()
  t.same(others, [])
  t.match(shown, {
    uuid: broadcast_id,
    kind: 'live',
    title: 'Harbour',
    is_live: true,
    channel: null,
    playback: { hls_url: made.playback.open },
    live: { status: 'live', viewer_count: 7, ended_at: null },
  })
  t.ok(shown.live.started_at)

  await change(made.channelId, { name: 'Harbour at night' })
  t.match(await lists(), [{ uuid: broadcast_id, title: 'Harbour at night' }])
  await change(made.channelId, { visibility: 'unlisted' })
  t.same(await lists(), [])
  t.equal((await stack.ask(`GET /v1/streaming/live/${broadcast_id}`, { key: platform })).status, 404)
  await change(made.channelId, { visibility: 'public' })
  t.match(await lists(), [{ uuid: broadcast_id }])

  await db.transaction((tx) => endBroadcast(tx, broadcast_id, 'stopped'))
  t.same(await lists(), [])
  const [over] = await lists('?status=ended')
  t.match(over, { uuid: broadcast_id, is_live: false, playback: { hls_url: null }, live: { viewer_count: 0 } })
  t.ok(over.live.ended_at)

  await insertAsset(db, orgId, { id: broadcast_id })
  const video = (await stack.ask(`GET /v1/streaming/videos/${broadcast_id}`, { key: platform })).body
  t.match(video, { uuid: broadcast_id, was_live: true }, 'its recording says so')
  const upload = await insertAsset(db, orgId, {})
  t.match((await stack.ask(`GET /v1/streaming/videos/${upload}`, { key: platform })).body, { was_live: false })

  await stack.ask(`DELETE /v1/stream/live/channels/${made.channelId}`)
  t.same(await lists('?status=ended'), [], 'nothing of a deleted channel is listed')
})

t.test('it is found under its owner’s channel of the directory, and under nobody else’s', async (t) => {
  const ask = (request: string, body?: object) => stack.ask(request, { key: theirs, ...(body ? { body } : {}) })
  await ask('POST /v1/streaming/channels', { handle: 'harbour', name: 'The harbour', language: 'en' })
  const { body: made } = await ask('POST /v1/stream/live/channels', { name: 'Pier', visibility: 'public' })
  const id = newId()
  await broadcasts.insert(db, { id, org_id: them.id, channel_id: made.channelId, record: false })
  await db.transaction((tx) => markBroadcastLive(tx, id))
  const put = await ask(`PUT /v1/streaming/channels/harbour/live/${made.channelId}`)
  t.match(put, { status: 200, body: { channelId: made.channelId, handle: 'harbour', visibility: 'public' } }, put.text)
  const { body: stranger } = await stack.ask('POST /v1/stream/live/channels', { body: { name: 'Other' } })
  t.equal((await ask(`PUT /v1/streaming/channels/harbour/live/${stranger.channelId}`)).status, 404)
  t.match(await lists(), [{ uuid: id, channel: { handle: 'harbour' }, language: 'en' }])
  t.match((await ask('GET /v1/streaming/channels/harbour')).body, { is_live: true })
  t.match((await ask('GET /v1/streaming/search?q=pier&channel=harbour')).body.data, [
    { type: 'live', item: { uuid: id } },
  ])

  t.equal((await ask(`DELETE /v1/streaming/channels/harbour/live/${made.channelId}`)).status, 200)
  t.equal((await ask(`DELETE /v1/streaming/channels/harbour/live/${made.channelId}`)).status, 404)
  t.match(await lists(), [{ uuid: id, channel: null }])
})

t.test('what is open plays without a token, until it is open no more', async (t) => {
  const air = await onAir(stack, origin, { input, inputOptions: ['-re'] })
  await until(() => air.states.includes('live'))
  const open = (file: string) => fetch(`${stack.ingress.url}/v1/stream/live/open/${air.channelId}/${file}`)
  t.equal((await open('index.m3u8')).status, 404, 'a channel is signed unless it is said otherwise')
  await change(air.channelId, { visibility: 'unlisted' })
  const playlist = await open('live.m3u8')
  t.match(await playlist.text(), /#EXT-X-PART:/)
  const waiting = open('live.m3u8?_HLS_msn=99999999')
  t.equal((await waiting).status, 400, 'the rules of playlists hold')
  const next = /#EXT-X-PRELOAD-HINT:TYPE=PART,URI="([^"]+)"/.exec(await (await open('live.m3u8')).text())?.[1]
  t.equal((await open(next ?? '')).status, 200, 'a part that is to come is waited for')
  t.equal(air.live.stats().viewers, 1)
  await change(air.channelId, { visibility: 'signed' })
  t.equal((await open('live.m3u8')).status, 404)
  t.equal((await air.get('live.m3u8')).status, 200, 'a session goes on')
  await air.live.stop({ ended: true })
})
