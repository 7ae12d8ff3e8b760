import { access, chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { assetPrefix } from '#sql/video/playlists.ts'
import { cancel } from '#tasks/queue/enqueue.ts'
import { mint } from '../../ops/video-client.ts'
import { film, numbered } from '../media/sources.ts'
import { decodeErrors, frameCounts } from '../support/hls.ts'
import { until } from '../support/until.ts'
import { enginesOn, parentOf, scratchFiles, videoStack } from '../support/video-stack.ts'
import { type Attempt, attempts } from './attempts.ts'

const stack = await videoStack(t)
const { db, data } = stack
const at = (name: string) => join(data, name)
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p']

const { attemptsOf, running, gated } = attempts(stack)

t.test('a worker killed in mid-ladder costs no more than the chunks it was at', async (t) => {
  const source = await film(at('long.mp4'), 'testsrc2=s=160x90:r=12:d=42', { codec })
  const first = await stack.startWorkers({ MEDIA_CONCURRENCY: '2', FFMPEG_PATH: await leisurely('filter_complex') })
  const assetId = await stack.send(source)
  await until(async () => (await running(assetId, 'video/encode-chunk')).length === 2, { timeout: 30_000 })
  // Room for the two beside all it takes of its own accord.
  const second = await stack.startWorkers({ MEDIA_CONCURRENCY: '8' })
  const held = await until(async () => {
    const mine = (await running(assetId, 'video/encode-chunk')).slice(0, 2)
    return mine.length === 2 ? mine : null
  })
  const before = (await stack.read(assetId)).progress_percent
  const engines = await until(async () => {
    const pids = await enginesOn(data)
    return pids.length >= 2 && pids
  })
  const killed = Date.now()
  await first.kill()

  const again = await until(async () => {
    const all = await attemptsOf(assetId, 'video/encode-chunk')
    const second = all.filter(({ attempt }) => attempt === 2)
    return second.length >= held.filter(({ run_id }) => !isDone(all, run_id)).length && second.length > 0
      ? second
      : null
  })
  for (const { started_at } of again) {
    const ms = started_at.getTime() - killed
    t.ok(ms <= 3_000, `picked up after ${ms} ms`)
  }
  const left = (await enginesOn(data)).filter((pid) => engines.includes(pid))
  const children = new Set(await childrenOf(second.pid))
  t.strictSame(
    left.filter((pid) => !children.has(pid)),
    [],
    'no engine outlives its worker',
  )
  const percents: number[] = [before]
  await until(
    async () => {
      const { status, progress_percent, failure_summary } = await stack.read(assetId)
      if (status === 'failed') throw new Error(failure_summary)
      percents.push(progress_percent)
      return status === 'ready'
    },
    { timeout: 60_000, every: 50 },
  )
  t.strictSame(
    percents,
    percents.toSorted((a, b) => a - b),
    'progress never falls',
  )
  const attempts = await attemptsOf(assetId, 'video/encode-chunk')
  const chunks = new Set(attempts.map(({ run_id }) => run_id)).size
  t.equal(chunks, 4)
  t.ok(attempts.length <= chunks + 2, `${attempts.length} encodings of ${chunks} chunks, two slots killed`)
  const { hlsUrl } = await mint(stack.api, assetId)
  t.strictSame(await frameCounts(hlsUrl), [504])
  t.equal(await decodeErrors(hlsUrl), '')
  await second.stop()
})

const isDone = (all: readonly Attempt[], run: string) =>
  all.some(({ run_id, outcome }) => run_id === run && outcome === 'done')

/** Processes whose parent is `pid`. */
async function childrenOf(pid: number): Promise<number[]> {
  const pids = await enginesOn(data)
  const parents = await Promise.all(pids.map(async (child) => [child, await parentOf(child)] as const))
  return parents.filter(([, parent]) => parent === pid).map(([child]) => child)
}

/** An ffmpeg that reads at a third of the speed at which the film plays, if its arguments match: it is in the midst of it for long. */
async function leisurely(pattern: string): Promise<string> {
  const path = at('leisurely-ffmpeg')
  await writeFile(
    path,
    `#!/bin/sh\ncase "$*" in *${pattern}*) exec ffmpeg -readrate 0.3 "$@";; esac\nexec ffmpeg "$@"\n`,
  )
  await chmod(path, 0o755)
  return path
}

t.test('a source package that is given up leaves no segment behind, and the ladder goes on', async (t) => {
  const { path, gate, reached } = await gated('ffmpeg', 'filter_complex')
  await db.query(sql.unsafe`
    create function public.refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`)
  await db.query(sql.unsafe`
    create trigger refuse before insert on video.playlists for each statement execute function public.refuse()`)
  const workers = await stack.startWorkers({ FFMPEG_PATH: path })
  const assetId = await stack.send(await film(at('given-up.mp4'), numbered('30', 4), { codec }))
  const [failed] = await until(async () => {
    const attempts = await attemptsOf(assetId, 'video/package-source')
    return attempts.some(({ outcome }) => outcome === 'retry') && attempts
  })
  t.ok((await stack.store.list(assetPrefix(assetId))).length > 0, 'its segments are in storage already')
  await cancel(db, failed?.run_id as string)
  await until(async () => (await stack.store.list(assetPrefix(assetId))).length === 0, { what: 'they are removed' })
  await until(() => access(reached).then(() => true), { what: 'a chunk is being encoded' })
  await db.query(sql.unsafe`drop trigger refuse on video.playlists`)
  await rm(gate)
  await stack.ready(assetId, 40_000)
  await workers.stop()
})

t.test('after all that nothing is left over', async (t) => {
  await stack.startWorkers()
  await until(async () => (await stack.store.list('video/work/')).length === 0, { what: 'work files are removed' })
  await until(async () => (await scratchFiles(data)).length === 0, { what: 'scratch is empty', timeout: 30_000 })
  t.strictSame(await enginesOn(data), [])
})
