import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { createLiveOrigin } from '../../../workers/live/origin/index.ts'
import type { Benchmark } from './benchmark.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'

/** Maximum time in milliseconds by which a part may be later than the duration of the previous part. */
const late = 100

/** Renditions that use all cores that a worker reserves for them by default on two cores. */
const renditions = [720, 480, 360] as const

interface Measured {
  p50: number
  p99: number
  cores: number
}

/**
 * Measures a channel without renditions, alone and next to a channel with all of them. The second must not slow down
 * the first.
 */
export const liveRenditions: Benchmark = {
  summary: 'a live channel with and without renditions: regularity of its parts, and CPU of the renditions',
  options: { seconds: { about: 'seconds of each measurement', default: 20 } },
  async run({ seconds = 20 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const input = join(folder, 'input.flv')
    const codec = '-c:v libx264 -preset ultrafast -tune zerolatency -g 30 -b:v 4M -c:a aac'
    const sources = `-f lavfi -i testsrc2=s=1920x1080:r=30:d=${seconds + 5} -f lavfi -i sine=d=${seconds + 5}`
    await promisify(execFile)(config.FFMPEG_PATH, [...`-v error ${sources} ${codec} -f flv`.split(' '), input])
    const secret = 'x'.repeat(32)
    const origin = await createLiveOrigin({ folder: join(folder, 'live'), secret, partMs: config.LIVE_PART_MS })
    ends.defer(() => origin.close())

    async function measure(name: string, beside: readonly (720 | 480 | 360)[]): Promise<Measured> {
      const at: number[] = []
      const start = (onPart?: () => void, heights: typeof beside = []) =>
        origin.startChannel({
          ...{ channelId: newId(), input, inputOptions: ['-re'], dvrSeconds: 0, renditions: heights },
          ...(onPart ? { onPart } : {}),
        })
      const channels = [start(() => at.push(performance.now())), start(undefined, beside)]
      // The frames of the initial probe arrive together.
      await pause(3_000)
      at.length = 0
      const before = await measureTreeCpu(process.pid)
      await pause(1_000 * seconds)
      const cores = cpuSum(subtractCpu(before, await measureTreeCpu(process.pid))) / seconds
      await Promise.all(channels.map((channel) => channel.stop({ ended: true })))
      const gaps = at.slice(1).map((one, i) => one - (at[i] ?? 0))
      const sorted = gaps.toSorted((a, b) => a - b)
      const share = (of: number) => sorted[Math.floor(sorted.length * of)] ?? Number.NaN
      const measured = { p50: share(0.5), p99: share(0.99), cores }
      console.log(`  ${name}: p50 ${measured.p50.toFixed(0)} ms, p99 ${measured.p99.toFixed(0)} ms between parts`)
      return measured
    }
    const rounds = {
      plain: await measure('next to a channel without renditions', []),
      beside: await measure('next to a channel with renditions', renditions),
    }
    const limit = config.LIVE_PART_MS + late
    return {
      comparisons: [
        { what: 'p99 between parts', unit: 'ms', limit, product: rounds.beside.p99, demand: { atMost: 1 } },
      ],
      notes: [
        `the limit is a part of ${config.LIVE_PART_MS} ms and ${late} ms; without renditions p99 ${rounds.plain.p99.toFixed(0)} ms`,
        `${renditions.join(', ')} of 1080p at 30 frames per second use ${(rounds.beside.cores - rounds.plain.cores).toFixed(2)} cores`,
      ],
      rounds,
    }
  },
}
