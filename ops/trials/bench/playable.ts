import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import { type Api, ask, complete, uploadParts, waitFor } from '../../video-client.ts'
import { type Benchmark, median } from './benchmark.ts'
import { createBenchmarkFolder } from './ground.ts'
import { listSteps, type Step } from './steps.ts'
import { ffmpeg, makeSource, type VideoFormat } from './transcode/bare.ts'
import { startStack } from './transcode/stack.ts'

interface PlayableTiming {
  seconds: number
  steps: readonly Step[]
}

/**
 * Maximum factor over the plain command. The product also checks, remuxes, counts and stores, and starts the ladder and
 * the poster.
 */
const atMost = 20

const films: Record<string, VideoFormat> = {
  '10 s of 1080p at 8 Mb/s': { seconds: 10, size: '1920x1080', bits: '8M' },
  '60 s of 1080p at 8 Mb/s': { seconds: 60, size: '1920x1080', bits: '8M' },
  '10 min of 360p at 1 Mb/s': { seconds: 600, size: '640x360', bits: '1M' },
}

export const playable: Benchmark = {
  summary: 'videos from `complete` to `playable`, compared with one ffmpeg command that packages them without encoding',
  options: { rounds: { about: 'rounds per side', default: 3 } },
  async run({ rounds = 3 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const sources: { what: string; source: string; bare: number[]; made: PlayableTiming[] }[] = []
    for (const [what, film] of Object.entries(films)) {
      console.log(`  making ${what}`)
      sources.push({ what, source: await makeSource(folder, film), bare: [], made: [] })
    }
    const { facts } = await startStack(folder, ends)
    const api = { base: facts.base_url, key: facts.keys.stream ?? '' }
    const db = await openPool(facts.database_url, 1)
    ends.defer(() => db.end())
    for (let round = 0; round < rounds; round++) {
      for (const { what, source, bare, made } of sources) {
        bare.push(await packageBare(source, folder))
        made.push(await untilPlayable(api, db, source))
        console.log(`  ${what}: bare ${bare.at(-1)?.toFixed(2)} s, pipeline ${made.at(-1)?.seconds.toFixed(2)} s`)
      }
    }
    return {
      comparisons: sources.map(({ what, bare, made }) => ({
        what,
        unit: 's',
        limit: median(bare),
        product: median(made.map(({ seconds }) => seconds)),
        demand: { atMost },
      })),
      notes: [`medians of ${rounds} rounds, elapsed time; H.264 and AAC, one at a time on an idle stack`],
      rounds: sources,
    }
  },
}

/** Returns the lower bound in seconds: the time for a CMAF HLS package without encoding. */
async function packageBare(source: string, folder: string): Promise<number> {
  const output = join(folder, 'bare')
  await mkdir(output)
  try {
    const hls = ['-f', 'hls', '-hls_time', '6', '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4']
    return (await ffmpeg(['-i', source, '-c', 'copy', ...hls, join(output, 'source.m3u8')])).wallSeconds
  } finally {
    await rm(output, { recursive: true })
  }
}

const ReadyTime = z.object({ at: z.number() })

/**
 * Uploads the video and waits until it is playable. Returns the seconds since `complete`. Does not wait for the ladder.
 */
async function untilPlayable(api: Api, db: DatabasePool, source: string): Promise<PlayableTiming> {
  const session = await uploadParts(api, source)
  const begun = Date.now()
  await complete(api, session)
  await waitFor(api, session.assetId, (asset) => asset.playable, { timeout: 120_000, every: 200 })
  const { at } = await db.one(sql.type(ReadyTime)`
    select extract(epoch from playable_at)::float8 as at from video.assets where id = ${session.assetId}`)
  const steps = await listSteps(db, session.assetId, begun)
  await ask(api, 'DELETE', `/v1/stream/assets/${session.assetId}`)
  await untilIdle(db)
  return { seconds: at - begun / 1000, steps }
}

async function untilIdle(db: DatabasePool): Promise<void> {
  const end = Date.now() + 60_000
  const busy = () =>
    db.exists(sql.type(z.object({ id: z.string() }))`
      select id from jobs.runs where state in ('waiting', 'running') and pool in ('media', 'media-intake')`)
  while (await busy()) {
    if (Date.now() > end) throw new Error('A deleted video is still in the queue after a minute.')
    await pause(100)
  }
}
