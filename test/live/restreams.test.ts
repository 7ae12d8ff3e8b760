import '../support/webhooks-environment.ts'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import { sql } from '#sql/db.ts'
import * as restreams from '#sql/live/restreams.ts'
import { exitOf, liveStack } from '../support/live-stack.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'
import { decodedFrames } from './on-air.ts'

const stack = await liveStack(t)
const { ask, publish, rtmp } = stack
const environment = { OUTBOUND_ALLOWED: '127.0.0.1', LIVE_RECONNECT_SECONDS: '8' }
const workers = await stack.startLive(environment)
const [source, copy, spare] = (await Promise.all(
  ['Source', 'Copy', 'Spare'].map((name) => stack.makeChannel({ name, record: false })),
)) as [Channel, Channel, Channel]
type Channel = Awaited<ReturnType<typeof stack.makeChannel>>
const base = `/v1/stream/live/channels/${source.id}/restreams`
/** Seconds that a publisher sends, longer than all waits of this file together. The teardown kills it earlier. */
const untilKilled = 1_200
const own = `rtmp://127.0.0.1:${stack.port}/live`

const add = async (body: object) => {
  const made = await ask(`POST ${base}`, { body })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.restreamId as string
}
const read = async (id: string) => (await ask(`GET ${base}/${id}`)).body
const becomes = (id: string, state: string, reason: string | null = null) =>
  until(
    async () => {
      const shown = await read(id)
      return shown.state === state && shown.reason === reason && shown
    },
    { timeout: 30_000, what: `the target is ${state} ${reason ?? ''}` },
  )

/** A server of RTMP that takes one stream to a file. */
async function listener(port: number, path: string) {
  const args = ['-v', 'error', '-y', '-listen', '1', '-i', `rtmp://127.0.0.1:${port}/app/name`, '-c', 'copy', path]
  const child = spawn(config.FFMPEG_PATH, args, { stdio: 'ignore' })
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  return child
}

t.test('what is broadcast is sent on, each target has its state, and a refused one its reason', async (t) => {
  const taken = await add({ name: 'Copy', url: `${own}/`, streamKey: copy.primary })
  const refused = await add({ name: 'Wrong key', url: own, streamKey: 'live_wrong' })
  const nobody = await add({ name: 'Nobody', url: `rtmp://127.0.0.1:${await freePort()}/app`, streamKey: 'a' })
  t.match(await read(taken), { state: 'idle', reason: null, url: own })
  const fourth = await ask(`POST ${base}`, { body: { name: 'Fourth', url: own, streamKey: 'a' } })
  t.match(fourth, { status: 409, body: { error: { code: 'restream_limit' } } })

  publish(rtmp(source.primary), { seconds: untilKilled })
  await source.state('live')
  await becomes(taken, 'live')
  const { stream } = await copy.state('live')
  t.match(stream, { width: 320, height: 180, videoCodec: /^avc1/, audioCodec: /^mp4a/, warnings: [] })
  t.match(await becomes(refused, 'failed', 'refused'), { message: /stream key/ })
  await becomes(nobody, 'failed', 'connection_failed')

  await ask(`PATCH ${base}/${refused}`, { body: { streamKey: spare.primary } })
  await becomes(refused, 'live')
  await spare.state('live')
  await ask(`PATCH ${base}/${refused}`, { body: { enabled: false } })
  t.match(await read(refused), { state: 'idle', enabled: false })
  await spare.state('idle')
  t.equal((await ask(`DELETE ${base}/${nobody}`)).status, 200)
  t.equal((await ask(`GET ${base}`)).body.data.length, 2)
})

t.test('a key is sealed, and shown nowhere', async (t) => {
  const { body: listed } = await ask(`GET ${base}`)
  const rows = await stack.db.any(sql.type(z.object({ row: z.string() }))`
    select to_json(r)::text as row from live.restreams as r`)
  t.notOk(JSON.stringify([listed, rows]).includes(copy.primary))
  const target = (await restreams.channelRestreams.listEnabled(stack.db, source.id))[0]
  const seal = createSeal(signingSecret, restreams.sealPurpose)
  t.equal(seal.open(target?.stream_key ?? '', target?.id ?? ''), copy.primary)
})

t.test(
  'a target that goes away is tried again, and a worker that takes the broadcast over goes on with it',
  async (t) => {
    const port = await freePort()
    const [first, second] = [join(stack.data, 'first.mkv'), join(stack.data, 'second.mkv')]
    const one = await listener(port, first)
    const id = await add({ name: 'Listener', url: `rtmp://127.0.0.1:${port}/app`, streamKey: 'name' })
    await becomes(id, 'live')
    one.kill('SIGKILL')
    // `ended` lasts until the first retry, 1 s later, and may never be stored.
    await until(async () => ['ended', 'connection_failed'].includes((await read(id)).reason), {
      what: 'the target has failed',
    })
    const two = await listener(port, second)
    await becomes(id, 'live')

    await workers.kill()
    await exitOf(two)
    t.ok((await decodedFrames(second)) > 0)
    await listener(port, join(stack.data, 'third.mkv'))
    await stack.startLive(environment)
    publish(rtmp(source.primary), { seconds: untilKilled })
    await source.state('live')
    await becomes(id, 'live')
    const { body } = await ask(`GET /v1/stream/live/channels/${source.id}/broadcasts`)
    t.equal(body.data.length, 1, 'it is the same broadcast')
    await ask(`POST /v1/stream/live/channels/${source.id}/end`, { body: {} })
    t.match(await becomes(id, 'idle'), { changedAt: null })
  },
)
