import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as sessions from '#sql/playback/sessions.ts'
import { signOriginToken } from '#tasks/live/rules/origin-token.ts'
import { signLiveToken } from '../../../ingress/live/urls.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import type { ServeAddress, ServeSettings } from './live-origin/serve.ts'
import type { WatchSettings } from './live-origin/watch.ts'
import type { LoadResult } from './tally.ts'

type Measurement = LoadResult & { cpuPerViewer: number }

/** Maximum time in milliseconds by which a reload may be longer than a part. */
const late = 100

export const liveOrigin: Benchmark = {
  summary: 'a live channel with many viewers: delay of a blocked playlist reload, and CPU per viewer',
  options: {
    viewers: { about: 'concurrent viewers', default: 500 },
    seconds: { about: 'seconds of each measurement', default: 8 },
  },
  async run({ viewers = 500, seconds = 8 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const secret = randomBytes(16).toString('hex')
    const [input, channel] = await Promise.all([makeInput(folder), makeChannel(db)])
    const settings: ServeSettings = { url, secret, folder: join(folder, 'live'), input, ...channel }
    const server = startChild('./live-origin/serve.ts', settings, join(folder, 'server.log'))
    ends.defer(() => server.end())
    const { port, origin } = await server.next<ServeAddress>()
    const tokens = await mintMany(db, channel, viewers, secret)
    const direct: Omit<WatchSettings, 'seconds'> = {
      base: origin,
      paths: tokens.map(() => `/${channel.channelId}`),
      headers: { authorization: `Bearer ${signOriginToken(channel.channelId, secret)}` },
    }
    const through = {
      base: `http://127.0.0.1:${port}`,
      headers: {},
      paths: tokens.map((token) => `/v1/stream/live/play/${token}`),
    }
    const pid = server.process.pid ?? 0
    const measure = async (
      name: string,
      { paths, ...target }: Omit<WatchSettings, 'seconds'>,
    ): Promise<Measurement> => {
      const before = await measureTreeCpu(pid)
      const loaded = await runChild<LoadResult>('./live-origin/watch.ts', { ...target, paths, seconds })
      if (loaded.refused > 0) console.log(`  ${name}: ${loaded.refused} rejected. First response: ${loaded.refusal}`)
      const cpu = cpuSum(subtractCpu(before, await measureTreeCpu(pid))) / (seconds + 0.5)
      console.log(`  ${name}: p50 ${loaded.p50.toFixed(0)} ms, p99 ${loaded.p99.toFixed(0)} ms`)
      return { ...loaded, cpuPerViewer: (1000 * cpu) / paths.length }
    }
    const rounds = {
      one: await measure('one viewer', { ...direct, paths: direct.paths.slice(0, 1) }),
      direct: await measure(`${viewers} at the origin`, direct),
      through: await measure(`${viewers} through ingress`, through),
    }
    const limit = config.LIVE_PART_MS + late
    const demand = { atMost: 1 }
    return {
      comparisons: [
        { what: `p99 of ${viewers} reloads at the origin`, unit: 'ms', limit, product: rounds.direct.p99, demand },
        { what: `p99 of ${viewers} reloads through ingress`, unit: 'ms', limit, product: rounds.through.p99, demand },
      ],
      notes: [
        `the limit is a part of ${config.LIVE_PART_MS} ms and ${late} ms; ${seconds} s each, every reload also fetches its part`,
        `a single viewer: p50 ${rounds.one.p50.toFixed(0)} ms, p99 ${rounds.one.p99.toFixed(0)} ms`,
        ...Object.entries(rounds).map(
          ([name, { cpuPerViewer, perSecond, share }]) =>
            `${name}: ${perSecond.toFixed(0)} reloads/s, ${cpuPerViewer.toFixed(2)} ms of CPU per second per viewer, including the packager; the load generator ${share.toFixed(2)} of a core`,
        ),
        `median of the three p50: ${median(Object.values(rounds).map(({ p50 }) => p50)).toFixed(0)} ms`,
      ],
      rounds,
    }
  },
}

async function makeInput(folder: string): Promise<string> {
  const path = join(folder, 'input.flv')
  const codec =
    '-c:v libx264 -preset ultrafast -tune zerolatency -g 30 -keyint_min 30 -sc_threshold 0 -b:v 1500k -c:a aac'
  const sources = '-f lavfi -i testsrc2=s=640x360:r=30:d=60 -f lavfi -i sine=d=60'
  await promisify(execFile)(config.FFMPEG_PATH, [...`-v error ${sources} ${codec} -f flv`.split(' '), path])
  return path
}

async function makeChannel(db: DatabasePool) {
  const [channelId, broadcastId] = [newId(), newId()]
  const org = await orgs.insert(db, { name: 'bench', plan: 'unlimited' })
  const keys = { primary_hash: newId(), backup_hash: newId(), srt_port: null, srt_passphrase: '' }
  const facts = { name: 'bench', slug: 'bench', record: false, dvr_seconds: 600, ...keys }
  await channels.insert(db, { id: channelId, org_id: org.id, ...facts })
  await broadcasts.insert(db, { id: broadcastId, org_id: org.id, channel_id: channelId, record: false })
  return { channelId, broadcastId, orgId: org.id }
}

async function mintMany(
  db: DatabasePool,
  { channelId, orgId }: { channelId: string; orgId: string },
  viewers: number,
  secret: string,
): Promise<string[]> {
  const exp = Math.floor(Date.now() / 1000) + 3600
  const host = '127.0.0.1'
  const made = Array.from({ length: viewers }, () => ({
    id: newId(),
    org_id: orgId,
    asset_id: null,
    channel_id: channelId,
    host,
    viewer_id: null,
    allowed_countries: [],
    blocked_countries: [],
    max_concurrent: null,
    expires_at: new Date(exp * 1000).toISOString(),
  }))
  await sessions.insertMany(db, made)
  return made.map(({ id }) => signLiveToken({ sid: id, cid: channelId, host, exp }, secret))
}
