import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import * as publishers from '#sql/live/web-publishers.ts'
import * as hosts from '#sql/rooms/hosts.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { url } = stack.ingress
const made = await stack.ask('POST /v1/stream/live/channels', { body: { name: 'Stage' } })
const { channelId } = made.body
const key: string = made.body.ingest.rtmp.streamKey
const minted = await stack.ask(`POST /v1/stream/live/channels/${channelId}/playback-sessions`, { body: {} })
const unlisted = await stack.ask('POST /v1/stream/live/channels', { body: { name: 'Open', visibility: 'unlisted' } })

const [whip, none] = ['/v1/stream/live/whip', '01a21ad0-bef5-7663-a88e-ee7ea91d70d5']
const whep = `/v1/stream/live/play/${minted.body.token}/whep`
const session = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 't=0 0']
const way = [
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:abcd',
  `a=ice-pwd:${'p'.repeat(24)}`,
  `a=fingerprint:sha-256 ${'AA:'.repeat(31)}AA`,
]
const audio = [
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  ...way,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendonly',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
]
const video = [
  ...['m=video 9 UDP/TLS/RTP/SAVPF 96', ...way, 'a=setup:actpass', 'a=mid:1', 'a=sendonly', 'a=rtcp-mux'],
  ...['a=rtpmap:96 H264/90000', 'a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f'],
]
const text = (...lines: readonly (string | readonly string[])[]) => `${lines.flat().join('\r\n')}\r\n`
const offer = text(session, audio, video)
const without = (part: string) =>
  offer
    .split('\r\n')
    .filter((line) => !line.startsWith(part))
    .join('\r\n')
const receiving = offer.replaceAll('a=sendonly', 'a=recvonly')

interface Asked {
  method?: string
  type?: string
  auth?: string | undefined
  body?: string | Buffer | undefined
}
async function ask(
  path: string,
  { method = 'POST', type = 'application/sdp', auth = `Bearer ${key}`, body = offer }: Asked = {},
) {
  const headers = { ...(body === undefined ? {} : { 'content-type': type }), ...(auth ? { authorization: auth } : {}) }
  const answer = await fetch(url + path, {
    method,
    headers,
    body: method === 'DELETE' || method === 'GET' ? null : body,
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

t.test('every bad request is told what is wrong with it', async (t) => {
  const sdp = (body: string): [string, Asked, number, RegExp] => [whip, { body }, 400, /body\.sdp/]
  const viewer = (body: string, status = 400): [string, Asked, number, RegExp] => [
    whep,
    { body },
    status,
    status === 400 ? /body\.sdp/ : /H\.264|Opus/,
  ]
  const candidates = (body: string, type = 'application/trickle-ice-sdpfrag'): Asked => ({
    method: 'PATCH',
    body,
    type,
  })
  const cases: [string, Asked, number, RegExp][] = [
    [whip, { auth: '' }, 401, /Bearer/],
    [whip, { auth: 'Basic x' }, 401, /Bearer/],
    [whip, { auth: 'Bearer ' }, 401, /Bearer/],
    [whip, { auth: 'Bearer a b' }, 401, /Bearer/],
    [whip, { auth: `Bearer ${'x'.repeat(301)}` }, 401, /Bearer/],
    [whip, { auth: 'Bearer live_nothing' }, 401, /stream_key_invalid/],
    [whip, { auth: `Bearer ${key}x` }, 401, /stream_key_invalid/],
    [whip, { type: 'text/plain' }, 415, /application\/sdp/],
    [whip, { type: 'application/json', body: '{' }, 400, /body/],
    [whip, { type: 'application/json', body: '{}' }, 400, /body\.sdp/],
    [whip, { type: 'application/json', body: '{"sdp":1}' }, 400, /body\.sdp/],
    [whip, { type: 'application/json', body: '{"sdp":"v=0","more":1}' }, 400, /more/],
    [whip, { type: 'application/json', body: '[]' }, 400, /body/],
    [whip, { body: Buffer.from([0xff, 0xfe, 0x00]) }, 400, /UTF-8/],
    [whip, { body: 'v=0\r\n'.padEnd(70_000, 'x') }, 413, /large/],
    [whip, { body: '' }, 400, /body/],
    sdp('hello'),
    sdp('v=1'),
    sdp(text(session)),
    sdp(`${offer}nothing\r\n`),
    sdp(`${offer}${'a=x\r\n'.repeat(2_000)}`),
    sdp(`${offer}a=${'x'.repeat(2_001)}\r\n`),
    sdp(`${offer}a=\0\r\n`),
    sdp(without('a=ice-ufrag')),
    sdp(without('a=ice-pwd')),
    sdp(without('a=fingerprint')),
    sdp(offer.replaceAll('actpass', 'passive')),
    sdp(text(session, audio)),
    sdp(text(session, video, video)),
    sdp(text(session, audio, audio, video)),
    sdp(text(session, video, 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel', way)),
    sdp(text(session, video, 'm=text 9 UDP/TLS/RTP/SAVPF 98', way)),
    sdp(offer.replace('SAVPF 96', 'SAVPF')),
    sdp(offer.replaceAll(' 96', ' 300').replaceAll(':96', ':300')),
    sdp(offer.replace('SAVPF 96', 'SAVPF 96 -1')),
    sdp(offer.replace('SAVPF 96', 'SAVPF 96 1e2')),
    sdp(receiving),
    sdp(offer.replaceAll('a=sendonly', 'a=inactive')),
    sdp(offer.replace('m=video 9', 'm=video 0')),
    [whip, { body: offer.replace('H264', 'VP8') }, 422, /media_unsupported.*H\.264/],
    [whip, { body: offer.replace('packetization-mode=1', 'packetization-mode=0') }, 422, /H\.264/],
    [whip, { body: offer.replace('opus/48000/2', 'PCMU/8000') }, 422, /Opus/],
    viewer('hello'),
    viewer(text(session)),
    viewer(offer),
    viewer(text(session, video, video).replaceAll('sendonly', 'recvonly')),
    viewer(receiving.replaceAll('actpass', 'passive')),
    viewer(receiving.replaceAll(' 96', ' 300').replaceAll(':96', ':300')),
    viewer(receiving.replaceAll(' 111', ' 128').replaceAll(':111', ':128')),
    viewer(receiving.replace('H264', 'AV1'), 422),
    viewer(receiving.replace('opus', 'speex'), 422),
    [whep, { type: 'text/html' }, 415, /application\/sdp/],
    [whep, { body: receiving }, 404, /channel_not_live/],
    ['/v1/stream/live/play/forged/whep', { body: receiving }, 403, /token_invalid/],
    [`/v1/stream/live/play/${'x'.repeat(1_001)}/whep`, { body: receiving }, 400, /token/],
    [`/v1/stream/live/open/${channelId}/whep`, { body: receiving }, 404, /not_found/],
    ['/v1/stream/live/open/nothing/whep', { body: receiving }, 404, /not_found/],
    [`/v1/stream/live/open/${unlisted.body.channelId}/whep`, { body: receiving }, 404, /channel_not_live/],
    [`${whip}/nothing`, candidates('a=candidate:1'), 404, /not_found/],
    [`${whip}/${none}`, candidates('a=candidate:1'), 404, /not_found/],
    [`${whip}/${none}`, { ...candidates('a=candidate:1'), auth: '' }, 401, /Bearer/],
    [`${whip}/${none}`, candidates('x', 'application/sdp'), 415, /trickle/],
    [`${whip}/${none}`, { method: 'DELETE' }, 404, /not_found/],
    [`${whip}/${none}`, { method: 'DELETE', auth: 'Bearer x' }, 401, /stream_key_invalid/],
    [`${whip}/${none}`, { method: 'PUT' }, 405, /allowed/],
    [`${whip}/${none}`, { method: 'GET', body: undefined }, 405, /allowed/],
    ['/v1/stream/live/whep/forged', { method: 'DELETE' }, 404, /not_found/],
    ['/v1/stream/live/whep/forged', candidates('a=candidate:1'), 404, /not_found/],
  ]
  t.ok(cases.length >= 40)
  for (const [path, asked, status, words] of cases) {
    const answer = await ask(path, asked)
    const name = `${asked.method ?? 'POST'} ${path.slice(0, 60)} ${String(asked.body ?? '').slice(0, 40)}`
    t.equal(answer.status, status, `${name}: ${answer.text.slice(0, 200)}`)
    t.match(answer.text, words, name)
  }
})

t.test('pages of other origins may ask, and an offer in good form waits for a worker', async (t) => {
  const answer = await ask(whip)
  t.equal(answer.status, 503, answer.text)
  t.equal(answer.headers.get('access-control-allow-origin'), '*')
  t.match(answer.headers.get('access-control-expose-headers'), /location/)
  const preflight = await ask(whip, { method: 'OPTIONS', auth: '', body: undefined })
  t.equal(preflight.status, 204)
  t.match(preflight.headers.get('access-control-allow-headers'), /authorization/)
})

t.test('a rotated key is told so, and a channel that was closed takes nobody', async (t) => {
  const path = `/v1/stream/live/channels/${channelId}`
  await stack.ask(`POST ${path}/keys/rotate`, { body: { which: 'primary' } })
  t.match(await ask(whip), { status: 401, text: /rotated/ })
})

t.test('who is about to publish takes a channel of the plan, on a worker that has room for publishers', async (t) => {
  const gateway = createServer((_, answer) => answer.writeHead(201).end('{"sdp":"v=0"}')).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  t.teardown(() => gateway.close())
  const at = `ws://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const [idle, busy] = [await leaseholder(stack.db, 'rooms'), await leaseholder(stack.db, 'rooms')]
  await hosts.register(stack.db, { worker_id: idle, gateway_url: at, load: 0 })
  await hosts.register(stack.db, { worker_id: busy, gateway_url: at, load: 30 })
  const plan = (await plans.list(stack.db)).find(({ name }) => name === 'unlimited')
  if (!plan) throw new Error('There is no plan `unlimited`.')
  await plans.put(stack.db, { ...plan, name: 'one', live_channels: 1 })
  await orgs.setPlan(stack.db, stack.orgId, 'one')
  const keyOf = async () => {
    const { body } = await stack.ask('POST /v1/stream/live/channels', { body: { name: 'Another' } })
    return body.ingest.rtmp.streamKey
  }
  const [first, second] = [await keyOf(), await keyOf()]
  t.equal((await ask(whip, { auth: `Bearer ${first}` })).status, 201)
  t.match(await ask(whip, { auth: `Bearer ${second}` }), { status: 403, text: /plan_limit_exceeded/ })
  const chosen = async (most: number) => (await publishers.findHost(stack.db, { capacity: 100, most }))?.worker_id
  t.equal(await chosen(2), idle)
  t.equal(await chosen(1), busy, 'the less loaded one has as many publishers as it takes')
  await stack.db.query(sql.typeAlias('void')`delete from rooms.hosts where worker_id = ${busy}`)
  t.equal(await chosen(1), idle, 'a worker that is told to take more may')
})
