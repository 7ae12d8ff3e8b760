import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { config } from '#lib/config.ts'
import { killWithParent } from '../../start/supervise.ts'
import { type Api, ask, complete, uploadParts, waitFor } from '../../video-client.ts'
import { type Benchmark, median } from './benchmark.ts'
import { createBenchmarkFolder } from './ground.ts'
import { makeSource } from './transcode/bare.ts'
import { startStack } from './transcode/stack.ts'

/** Share of the machine that the paced encoding needs. It is more than half, which an equal competitor would leave. */
const share = 0.75
/** Duration in seconds of an encoding that keeps its pace. */
const paced = 20

/** Measures an encoding at camera pace during a ladder, compared with an idle machine. Live has priority over VOD. */
export const live: Benchmark = {
  summary: 'an encoding at a fixed pace, like a live channel, during a ladder, compared with an idle stack',
  options: { rounds: { about: 'rounds per side', default: 2 }, seconds: { about: 'seconds of video', default: 120 } },
  async run({ rounds = 2, seconds = 120 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    console.log(`  creating a video of ${seconds} s`)
    const source = await makeSource(folder, { seconds })
    const { facts } = await startStack(folder, ends)
    const api = { base: facts.base_url, key: facts.keys.stream ?? '' }
    // Long enough that the start of the program hardly counts.
    const free = 600 / (await encode(600))
    const pace = free * share
    const figures: { alone: number; beside: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const alone = await encode(pace * paced, pace)
      const beside = await besideLadder(api, source, () => encode(pace * paced, pace))
      figures.push({ alone, beside })
      console.log(`  ${paced} s take ${alone.toFixed(2)} s without a ladder and ${beside.toFixed(2)} s with one`)
    }
    return {
      comparisons: [
        {
          what: 'elapsed time at a fixed pace',
          unit: 's',
          limit: median(figures.map(({ alone }) => alone)),
          product: median(figures.map(({ beside }) => beside)),
          demand: { atMost: 1.05 },
        },
      ],
      notes: [
        `medians of ${rounds} rounds; 720p, x264 veryfast, ${pace.toFixed(0)} frames/s, which is ${share * 100} % of the machine's maximum`,
      ],
      rounds: figures,
    }
  },
}

/** Uploads the video and runs the work while its ladder is encoded. Throws if the ladder finished earlier. */
async function besideLadder(api: Api, source: string, work: () => Promise<number>): Promise<number> {
  const session = await uploadParts(api, source)
  await complete(api, session)
  await waitFor(api, session.assetId, ({ playable }) => playable, { timeout: 120_000, every: 200 })
  const taken = await work()
  const { status } = await ask<{ status: string }>(api, 'GET', `/v1/stream/assets/${session.assetId}`)
  if (status === 'ready') throw new Error('The ladder finished before the paced encoding. Use a longer video.')
  await ask(api, 'DELETE', `/v1/stream/assets/${session.assetId}`)
  return taken
}

async function encode(frames: number, pace?: number): Promise<number> {
  const rate = pace === undefined ? [] : ['-readrate', `${pace / 30}`]
  const input = ['-f', 'lavfi', ...rate, '-i', 'testsrc2=size=1280x720:rate=30']
  const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '60']
  const output = ['-frames:v', `${Math.round(frames)}`, '-f', 'null', '-']
  const command = killWithParent(config.FFMPEG_PATH, '-nostdin', '-v', 'error', ...input, ...h264, ...output)
  const begun = performance.now()
  // In its own session, like each process of `npm start`.
  const child = spawn(command.file, command.args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`ffmpeg exited with ${code}.`)
  return (performance.now() - begun) / 1000
}
