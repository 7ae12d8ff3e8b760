import { z } from 'zod'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import type { VideoPlan } from '#tasks/video/rules/transcode/plan.ts'
import { planVideo } from '#tasks/video/rules/transcode/plan.ts'
import { createMediaEngine } from '../../../workers/media/engine.ts'
import { type Api, complete, uploadParts, waitFor } from '../../video-client.ts'
import { type Benchmark, median } from './benchmark.ts'
import { type CpuByProgram, cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import { listSteps, type Step } from './steps.ts'
import { type Cost, encodeWithPlainFfmpeg, makeSource } from './transcode/bare.ts'
import { type Stack, startStack } from './transcode/stack.ts'

interface TranscodeResult extends Cost {
  playableSeconds: number
  cpu: CpuByProgram
  /** Start and end of each job in seconds after `complete`. */
  steps: readonly Step[]
}

export const transcode: Benchmark = {
  summary: 'a video from `complete` to `ready`, compared with one ffmpeg command that encodes the same ladder',
  options: {
    seconds: { about: 'seconds of video', default: 60 },
    rounds: { about: 'rounds per side', default: 2 },
  },
  async run({ seconds = 60, rounds = 2 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    console.log(`  creating a video of ${seconds} s`)
    const source = await makeSource(folder, { seconds })
    const plan = await planOf(source, folder)
    const stack = await startStack(folder, ends)
    const db = await openPool(stack.facts.database_url, 1)
    ends.defer(() => db.end())
    const bare: Cost[] = []
    const made: TranscodeResult[] = []
    for (let round = 0; round < rounds; round++) {
      bare.push(await encodeWithPlainFfmpeg(source, plan, folder))
      tell('bare ffmpeg', bare.at(-1))
      made.push(await transform(stack, db, source))
      tell('pipeline', made.at(-1))
    }
    const middle = (costs: Cost[], fact: keyof Cost) => median(costs.map((cost) => cost[fact]))
    const compare = (what: string, fact: keyof Cost, atMost: number) => ({
      what,
      unit: 's',
      limit: middle(bare, fact),
      product: middle(made, fact),
      demand: { atMost },
    })
    return {
      comparisons: [compare('CPU of all processes', 'cpuSeconds', 1.04), compare('wall clock', 'wallSeconds', 1.1)],
      notes: [
        `medians of ${rounds} rounds; ${seconds} s of 1080p30, ${plan.renditions.map(({ name }) => name).join(', ')} and sound, preset ${plan.preset}, ${plan.chunks.count} chunks`,
        `playable after ${median(made.map(({ playableSeconds }) => playableSeconds)).toFixed(2)} s`,
      ],
      rounds: { bare, made },
    }
  },
}

function tell(who: string, cost: Cost | undefined): void {
  console.log(`  ${who}: CPU ${cost?.cpuSeconds.toFixed(1)} s, wall ${cost?.wallSeconds.toFixed(1)} s`)
}

async function planOf(source: string, folder: string): Promise<VideoPlan> {
  const signal = AbortSignal.timeout(120_000)
  const mezzanine = await createMediaEngine().mezzanine({ source, folder }, { signal })
  const plan = planVideo(mezzanine, 'standard_vod')
  if (!plan) throw new Error('The video has no video track.')
  return plan
}

const Times = z.object({ playable: z.number(), ready: z.number() })

async function transform({ pid, facts }: Stack, db: DatabasePool, source: string): Promise<TranscodeResult> {
  const api: Api = { base: facts.base_url, key: facts.keys.stream ?? '' }
  const session = await uploadParts(api, source)
  const before = await measureTreeCpu(pid)
  const begun = Date.now()
  await complete(api, session)
  await waitFor(api, session.assetId, ({ status }) => status === 'ready', {
    timeout: 1_800_000,
    // Polls rarely, because the cost of polling is included in the measurement.
    every: 2_000,
  })
  const cpu = subtractCpu(before, await measureTreeCpu(pid))
  const times = await db.one(sql.type(Times)`
    select extract(epoch from playable_at)::float8 as playable, extract(epoch from ready_at)::float8 as ready
    from video.assets where id = ${session.assetId}`)
  const steps = await listSteps(db, session.assetId, begun)
  return {
    cpuSeconds: cpuSum(cpu),
    cpu,
    steps,
    wallSeconds: times.ready - begun / 1000,
    playableSeconds: times.playable - begun / 1000,
  }
}
