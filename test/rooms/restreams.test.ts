import '../support/webhooks-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { sql } from '#sql/db.ts'
import * as restreams from '#sql/rooms/restreams.ts'
import { decodedFrames } from '../live/on-air.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { exitOf } from '../support/live-stack.ts'
import { freePort } from '../support/postgres.ts'
import { badTargets, goodTarget } from '../support/restream-targets.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'

const stack = await roomsStack(t)
const { ask, db, ingress } = stack
const roomId = await stack.makeRoom({ emptyTimeoutSeconds: 3_600 })
const base = `/v1/stream/rooms/${roomId}/restreams`

const add = async (body: object) => {
  const made = await ask(`POST ${base}`, { body })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.restreamId as string
}
const becomes = (id: string, state: string, ...reasons: string[]) =>
  until(
    async () => {
      const { body } = await ask(`GET ${base}/${id}`)
      return (
        body.state === state && (reasons.length === 0 ? body.reason === null : reasons.includes(body.reason)) && body
      )
    },
    { timeout: 60_000, what: `the target is ${state} ${reasons}` },
  )

/** A server of RTMP that takes one stream to a file. */
function listener(port: number, path: string) {
  const args = [
    '-v',
    'error',
    '-y',
    '-listen',
    '1',
    '-i',
    `rtmp://127.0.0.1:${port}/app/name`,
    '-c',
    'copy',
    '-flush_packets',
    '1',
    path,
  ]
  const child = spawn(config.FFMPEG_PATH, args, { stdio: 'ignore' })
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  return child
}

t.test('every bad field of a target is named, and a stranger reaches none', async (t) => {
  for (const [body, field] of badTargets) {
    const made = await ask(`POST ${base}`, { body })
    const isNamed = fieldsOf(made).some((named) => named.includes(field))
    t.ok(made.status === 400 && isNamed, `${JSON.stringify(body)}: ${made.text}`)
  }
  for (const path of [`/v1/stream/rooms/x/restreams`, `/v1/stream/rooms/${newId()}/restreams`])
    t.equal((await ask(`POST ${path}`, { body: goodTarget })).status, 404)
  const id = await add({ ...goodTarget, enabled: false })
  for (const body of [{}, { enabled: 'no' }, { url: 'rtmp://10.0.0.1/app' }, { streamKey: '' }, { more: 1 }])
    t.equal((await ask(`PATCH ${base}/${id}`, { body })).status, 400, JSON.stringify(body))
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  for (const [what, body] of [
    [`POST ${base}`, goodTarget],
    [`GET ${base}`, undefined],
    [`GET ${base}/${id}`, undefined],
    [`PATCH ${base}/${id}`, { enabled: true }],
    [`DELETE ${base}/${id}`, undefined],
  ] as const)
    t.equal((await ingress.ask(what, { body, key: keys.main })).status, 404, what)
  for (const one of ['x', newId()]) t.equal((await ask(`PATCH ${base}/${one}`, { body: { name: 'x' } })).status, 404)
  t.equal((await ask(`DELETE ${base}/${id}`)).status, 200)
  t.same((await ask(`GET ${base}`)).body.data, [])
})

t.test('as many rooms are on the air by targets as the plan has live channels', async (t) => {
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'], { plan: 'free' })
  const as = (what: string, body?: object) => ingress.ask(what, { body, key: keys.main })
  const room = async () => (await as('POST /v1/stream/rooms', { name: 'Stand-up' })).body.roomId as string
  const [first, second, third] = [await room(), await room(), await room()]
  const of = (id: string) => `/v1/stream/rooms/${id}/restreams`
  const full = { status: 403, body: { error: { code: 'plan_limit_exceeded' } } }
  const one = (await as(`POST ${of(first)}`, goodTarget)).body.restreamId
  t.equal((await as(`POST ${of(first)}`, goodTarget)).status, 201, 'a second target needs no second picture')
  const tried = await Promise.all([second, third].map((id) => as(`POST ${of(id)}`, goodTarget)))
  t.same(tried.map(({ status }) => status).toSorted(), [201, 403], 'also at the same moment')
  const [on, off] = tried[0]?.status === 201 ? [second, third] : [third, second]
  t.match(await as(`POST ${of(off)}`, goodTarget), full)
  const waits = (await as(`POST ${of(off)}`, { ...goodTarget, enabled: false })).body.restreamId
  t.match(await as(`PATCH ${of(off)}/${waits}`, { enabled: true }), full)
  t.equal(
    (await as(`PATCH ${of(first)}/${one}`, { enabled: true })).status,
    200,
    'a room that is on the air stays there',
  )
  for (const { restreamId } of (await as(`GET ${of(on)}`)).body.data)
    t.equal((await as(`PATCH ${of(on)}/${restreamId}`, { enabled: false })).status, 200)
  t.equal((await as(`PATCH ${of(off)}/${waits}`, { enabled: true })).status, 200)
  await db.query(sql.typeAlias('void')`delete from rooms.restreams`)
})

t.test('a room goes on the air to servers of RTMP, each with its state, and comes back after every loss', async (t) => {
  const environment = { OUTBOUND_ALLOWED: '127.0.0.1', ROOMS_PICTURE_HEIGHT: '180', ROOMS_PICTURE_RATE: '15' }
  const workers = await stack.startRooms(environment)
  const [port, nobody] = [await freePort(), await freePort()]
  const hangsUp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(hangsUp, 'listening')
  t.teardown(async () => void hangsUp.close())
  const files = ['first', 'second', 'third'].map((name) => join(stack.data, `${name}.flv`)) as [string, string, string]
  const url = `rtmp://127.0.0.1:${port}/app`
  const id = await add({ name: 'Listener', url: `${url}/`, streamKey: 'name', enabled: false })
  t.match((await ask(`GET ${base}/${id}`)).body, { state: 'idle', enabled: false, url })
  const ann = await stack.join(roomId, 'ann')
  t.match(await ann.hears('joined'), { broadcast: false })

  const one = listener(port, files[0])
  t.match(await ask(`PATCH ${base}/${id}`, { body: { enabled: true } }), { status: 200 })
  await ann.hears('air', ({ broadcast }) => broadcast)
  const gone = await add({ name: 'Nobody', url: `rtmp://127.0.0.1:${nobody}/app`, streamKey: 'a' })
  const { port: closed } = hangsUp.address() as AddressInfo
  const refused = await add({ name: 'Hangs up', url: `rtmp://127.0.0.1:${closed}/app`, streamKey: 'a' })
  t.match(await ask(`POST ${base}`, { body: goodTarget }), { status: 409, body: { error: { code: 'restream_limit' } } })
  await becomes(id, 'live')
  await becomes(gone, 'failed', 'connection_failed')
  t.match(await becomes(refused, 'failed', 'refused'), { message: /stream key/ })

  one.kill('SIGKILL')
  await becomes(id, 'failed', 'ended', 'connection_failed')
  const two = listener(port, files[1])
  await becomes(id, 'live')
  await until(async () => (await decodedFrames(files[1])) > 15, { what: 'there are pictures' })

  await workers.kill()
  await exitOf(two)
  const three = listener(port, files[2])
  await stack.startRooms(environment)
  await becomes(id, 'live')

  const [target] = await restreams.roomRestreams.listEnabled(db, roomId)
  t.equal(createSeal(signingSecret, restreams.sealPurpose).open(target?.stream_key ?? '', id), 'name')
  t.equal((await ask(`DELETE ${base}/${gone}`)).status, 200)
  t.match(await ask(`DELETE /v1/stream/rooms/${roomId}`), { status: 200 })
  const keys = sql.type(z.object({ stream_key: z.string() }))`select distinct stream_key from rooms.restreams`
  t.same(await db.any(keys), [{ stream_key: '' }], 'keys are forgotten with the end')
  t.equal(await exitOf(three), 0, 'the end of the room is the end of the stream')
  await becomes(id, 'idle')
  t.match(await ask(`POST ${base}`, { body: goodTarget }), { status: 409, body: { error: { code: 'room_ended' } } })
})
