import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { readOverview } from '#sql/jobs/overview.ts'
import { performActionOnAll } from '#tasks/jobs/rules/actions.ts'
import { queues } from '#tasks/pools.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film, numbered } from '../media/sources.ts'
import { sample } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { noise, scratchFiles, videoStack, type Workers } from '../support/video-stack.ts'

const stack = await videoStack(t)
const at = (name: string) => join(stack.data, name)
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']

const good = await readFile(await film(at('good.mp4'), numbered('30', 20, '160:90'), { codec }))
await ffmpeg('-i', at('good.mp4'), '-c', 'copy', '-movflags', '+faststart', at('front.mp4'))
const front = await readFile(at('front.mp4'))
// A film that only a worker that follows playlists would find.
const secret = await film(at('secret.ts'), numbered('30', 4), { codec })

/** The film with every byte of its pictures and sound replaced; its index is whole. */
function garbled(): Buffer {
  const start = good.indexOf('mdat') + 4
  const end = good.indexOf('moov') - 4
  return Buffer.concat([good.subarray(0, start), noise(end - start), good.subarray(end)])
}

/** A ZIP archive with one deflated file, headers as PKWARE's APPNOTE 4.3.7 has them, without its directory. */
function zip(): Buffer {
  const packed = deflateRawSync(good)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(packed.length, 18)
  header.writeUInt32LE(good.length, 22)
  header.writeUInt16LE(8, 26)
  return Buffer.concat([header, Buffer.from('film.mp4'), packed])
}

const notMedia = /not a video or audio file/
const playlist = (uri: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${uri}\n#EXT-X-ENDLIST\n`
const cases: Record<string, { bytes: Uint8Array | string; summary: RegExp }> = {
  'bytes that were never a film': { bytes: noise(200_000), summary: notMedia },
  'a film whose pictures are noise': { bytes: garbled(), summary: /damaged/ },
  'a text': { bytes: 'The quick brown fox.\n'.repeat(500), summary: notMedia },
  'one byte': { bytes: '0', summary: notMedia },
  'a film without its end, where its index was': { bytes: good.subarray(0, good.length * 0.6), summary: /incomplete/ },
  'a film without its end, the index in front': { bytes: front.subarray(0, front.length * 0.6), summary: /incomplete/ },
  'a playlist of a local file': { bytes: playlist(`file://${secret}`), summary: notMedia },
  'a playlist of a path': { bytes: playlist(secret), summary: notMedia },
  'a playlist of the network': { bytes: playlist('http://127.0.0.1:1/x.ts'), summary: notMedia },
  'a list for the concat reader': { bytes: `ffconcat version 1.0\nfile ${secret}\n`, summary: notMedia },
  'an SVG': {
    bytes: `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file://${secret}"/></svg>`,
    summary: notMedia,
  },
  'an archive with a film': { bytes: zip(), summary: notMedia },
  'a manifest': {
    bytes: `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${secret}</BaseURL></MPD>`,
    summary: notMedia,
  },
}

const Run = z.object({ task: z.string(), state: z.string() })
const runsOf = (assetId: string) =>
  stack.db.any(sql.type(Run)`select task, state from jobs.runs where subject = ${assetId} order by created_at`)

/** Attempts that were followed by another although they had ended, with their errors. */
const triedAgain = (assetId: string) =>
  stack.db.any(sql.type(z.object({ task: z.string(), error: z.string().nullable() }))`
    select r.task, a.error from jobs.attempts as a join jobs.runs as r on r.id = a.run_id
    where r.subject = ${assetId} and a.outcome = 'retry'`)

let workers: Workers

t.test('every file that is no film fails, soon, once, and in words', async (t) => {
  workers = await stack.startWorkers()
  // In `npm test`: a damaged film, an incomplete one, a playlist and an SVG.
  const tried = sample(Object.entries(cases), 3, 1)
  const ids = new Map<string, string>()
  for (const [i, [name, { bytes }]] of tried.entries()) ids.set(name, await stack.sendBytes(`upload-${i}.mp4`, bytes))
  for (const [name, { summary }] of tried) {
    await t.test(name, async (t) => {
      const assetId = ids.get(name) ?? ''
      const asset = await until(
        async () => {
          const read = await stack.read(assetId)
          return ['failed', 'ready'].includes(read.status) ? read : null
        },
        { timeout: 40_000, what: 'it comes to an end' },
      )
      t.match(asset, { status: 'failed', current_stage: 'failed', stage: 'Processing failed', playable: false })
      t.match(asset.failure_summary, summary)
      t.match(asset, { progress_percent: 0, posterUrl: null, renditions: [], ready_at: null })
      t.notMatch(asset.failure_summary, /ffmpeg|ffprobe|\/|moov|Error/, 'not what a tool has said')
      const runs = await until(async () => {
        const all = await runsOf(assetId)
        return all.every(({ state }) => state !== 'running') ? all : null
      })
      t.ok(runs.some(({ state }) => state === 'rejected'))
      t.notOk(
        runs.some(({ state }) => state === 'failed'),
        'junk is no failure of the service',
      )
      t.strictSame(await triedAgain(assetId), [], 'whoever finds out tries once')
      const minted = await stack.ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: {} })
      t.match(minted, { status: 409, body: { error: { code: 'asset_not_ready', details: { status: 'failed' } } } })
    })
  }
  const pools = await readOverview(stack.db, queues)
  t.strictSame(
    pools.map(({ failed }) => failed),
    pools.map(() => 0),
    'no dead job is left for an operator',
  )
  const { body } = await stack.ask('GET /v1/stream/assets?status=failed&limit=100')
  t.equal(body.data.length, tried.length)
  t.ok(body.data.every((asset: { failure_summary: string | null }) => asset.failure_summary))
  await until(async () => (await scratchFiles(stack.data)).length === 0, { what: 'their copies go', timeout: 30_000 })
})

t.test('a film whose ladder fails after it became playable is no more to be seen', async (t) => {
  await workers.stop()
  const intake = await stack.startWorkers({}, 'core,media-intake')
  const assetId = await stack.sendBytes('playable.mp4', good)
  await until(async () => (await stack.read(assetId)).playable, { what: 'it is playable' })
  await stack.ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility: 'public' } })
  const open = `GET /v1/stream/open/${assetId}/master.m3u8`
  t.equal((await stack.ask(open)).status, 200)
  await intake.stop()
  // Its work files are lost and its chunks may try but once.
  await rm(join(stack.data, 'scratch'), { recursive: true })
  await stack.store.storage.deleteAll(`video/work/${assetId}/`)
  await stack.db.query(sql.typeAlias('void')`update jobs_media._private_jobs set max_attempts = 1`)
  workers = await stack.startWorkers()
  await until(async () => (await stack.read(assetId)).status === 'failed', { timeout: 30_000, what: 'it fails' })
  const asset = await stack.read(assetId)
  t.match(asset, {
    playable: false,
    renditions: [],
    posterUrl: null,
    failure_summary: /internal error.*Upload it again/,
  })
  t.equal((await stack.ask(open)).status, 404)
})

t.test(
  'nothing of a failed asset stays but the upload of one that could be tried again, and that for a time',
  async () => {
    const left = () => stack.store.list('video/')
    await until(async () => (await left()).length === 1, { what: 'one upload is left', timeout: 30_000 })
    await performActionOnAll(stack.db, 'reschedule', { task: 'video/discard' }, { actor: 'test', at: new Date() })
    await until(async () => (await left()).length === 0, { what: 'storage is empty', timeout: 30_000 })
    await until(async () => (await scratchFiles(stack.data)).length === 0, {
      what: 'scratch is empty',
      timeout: 30_000,
    })
  },
)
