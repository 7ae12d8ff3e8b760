import { type Api, complete, uploadParts, waitFor } from '../../video-client.ts'
import type { StageGround } from '../chaos/ground.ts'
import { startStage } from '../chaos/stage.ts'
import { hostGround } from '../fleet/ground.ts'
import { createNetwork, whyNoHosts } from '../fleet/hosts.ts'
import { type Benchmark, CannotMeasureError, median } from './benchmark.ts'
import { makeSource } from './transcode/bare.ts'

export const hosts: Benchmark = {
  summary: 'a video from `complete` to `ready`, processed by one host with one core, and by two',
  options: {
    seconds: { about: 'seconds of video: a chunk has 12 s, and both hosts should have many', default: 192 },
    rounds: { about: 'rounds per side', default: 1 },
  },
  async run({ seconds = 192, rounds = 1 }, ends) {
    const impossible = await whyNoHosts()
    if (impossible) throw new CannotMeasureError(impossible)
    const network = await createNetwork(2, ends)
    for (const [core, host] of network.hosts.entries()) host.cores = String(core)
    const ground = hostGround(network)
    const place: StageGround['place'] = (part, number) =>
      ground.place?.({ ...part, env: { ...part.env, MEDIA_CONCURRENCY: '1' } }, number) ?? part
    const settings = { workers: 2, lease: 10_000, sweep: 1_000, smallDisks: false, ground: { ...ground, place } }
    const stage = await startStage(settings, ends, () => false)
    const source = await makeSource(stage.folder, { seconds, size: '1280x720', bits: '4M' })
    const second = stage.workers[1]
    const times = { one: [] as number[], two: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      await second?.away()
      times.one.push(await make(stage, source))
      await second?.back()
      times.two.push(await make(stage, source))
      console.log(`  one host ${times.one.at(-1)?.toFixed(1)} s, two hosts ${times.two.at(-1)?.toFixed(1)} s`)
    }
    const [one, two] = [median(times.one), median(times.two)]
    return {
      comparisons: [
        { what: 'speed-up by a second host', unit: '×', limit: 2, product: one / two, demand: { atLeast: 0.9 } },
      ],
      notes: [
        `medians of ${rounds} rounds; ${seconds} s of 720p30: ${one.toFixed(1)} s on one host, ${two.toFixed(1)} s on two`,
      ],
      rounds: times,
    }
  },
}

async function make(api: Api, source: string): Promise<number> {
  const session = await uploadParts(api, source)
  const begun = performance.now()
  await complete(api, session)
  const isReady = ({ status }: { status: string }) => status === 'ready'
  await waitFor(api, session.assetId, isReady, { timeout: 1_800_000, every: 500 })
  return (performance.now() - begun) / 1000
}
