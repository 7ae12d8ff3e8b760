import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { config } from '#lib/config.ts'
import { startCompositor } from '../../../workers/rooms/compositor/index.ts'
import { readStat } from '../../process-stat.ts'
import { type Benchmark, CannotMeasureError } from './benchmark.ts'
import { createBenchmarkFolder } from './ground.ts'
import { startBareComposite } from './rooms-air/bare.ts'

/** Duration in seconds of the compositor's start, which is not measured. */
const warmUp = 3

const frameRate = 30

interface Usage {
  core: number
  megabytes: number
}

interface ResourceUse extends Usage {
  people: number
}

export const roomsAir: Benchmark = {
  summary: 'the composite video of a room: base CPU and memory, and the cost per participant',
  options: {
    people: { about: 'maximum number of participants', default: 6 },
    height: { about: 'lines of the video', default: 360 },
    seconds: { about: 'seconds of each measurement', default: 10 },
  },
  async run({ people = 6, height = 360, seconds = 10 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const film = await makeFilm(folder)
    const width = 2 * Math.round((height * 8) / 9)
    const bare = await measureBare(film, { width, height }, seconds)
    console.log(`  2 participants in plain GStreamer: ${shown(bare)}`)
    const taken: ResourceUse[] = []
    for (const count of new Set([0, 2, people])) {
      const compositor = await startCompositor({
        title: '',
        slots: people,
        height,
        width,
        frameRate,
        folder,
        output: { take: (media) => void media.resume() },
      })
      const senders = compositor.slots.slice(0, count).map((slot) => send(film, slot))
      ends.defer(() => {
        for (const sender of senders) sender.kill('SIGKILL')
      })
      for (const { index } of compositor.slots.slice(0, count)) compositor.setName(index, `Participant ${index}`)
      taken.push({ people: count, ...(await measure(compositor, seconds)) })
      for (const sender of senders) sender.kill('SIGKILL')
      await compositor.stop()
      console.log(`  ${count} participants: ${shown(taken.at(-1) as ResourceUse)}`)
    }
    const [none, two, all] = taken as [ResourceUse, ResourceUse, ResourceUse]
    const each = (figure: 'core' | 'megabytes') => ((all ?? two)[figure] - none[figure]) / (all ?? two).people
    return {
      comparisons: [
        {
          what: 'a composite of two, share of a core',
          unit: '',
          limit: bare.core,
          product: two.core,
          demand: { atMost: 1.5 },
        },
        {
          what: 'a composite of two, memory',
          unit: 'MB',
          limit: bare.megabytes,
          product: two.megabytes,
          demand: { atMost: 2 },
        },
      ],
      notes: [
        `${height} lines at ${frameRate} frames per second; each further participant takes ${(each('core') * 100).toFixed(1)} % of a core and ${each('megabytes').toFixed(1)} MB`,
        'the limit is gst-launch-1.0 with two participants and the same encoders, measured in the same run',
      ],
      rounds: { bare, taken },
    }
  },
}

const shown = ({ core, megabytes }: Usage): string => `${(core * 100).toFixed(1)} % of a core, ${megabytes} MB`

async function measureBare(film: string, size: { width: number; height: number }, seconds: number): Promise<Usage> {
  await using own = new AsyncDisposableStack()
  const composite = startBareComposite({ ...size, frameRate })
  own.defer(() => composite.stop())
  const senders = composite.ports.map((ports) => send(film, ports))
  own.defer(() => {
    for (const sender of senders) sender.kill('SIGKILL')
  })
  return await measure(composite, seconds)
}

async function measure({ pid }: { pid: number }, seconds: number): Promise<Usage> {
  await pause(warmUp * 1000)
  const before = await readStat(pid)
  const begun = performance.now()
  await pause(seconds * 1000)
  const after = await readStat(pid)
  if (!before || !after) throw new CannotMeasureError('The compositor exited unexpectedly.')
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
  const core = (after.own - before.own) / ((performance.now() - begun) / 1000)
  return { core: Math.round(core * 1000) / 1000, megabytes: Math.round(kilobytes / 1024) }
}

/** Creates encoded camera video, so that sending it repeatedly costs nothing. */
async function makeFilm(folder: string): Promise<string> {
  const film = join(folder, 'film.webm')
  const input = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30', '-f', 'lavfi', '-i', 'sine=sample_rate=48000']
  const coding = [
    '-c:v',
    'libvpx',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
    '-g',
    '60',
    '-b:v',
    '600k',
    '-c:a',
    'libopus',
  ]
  const made = spawn(config.FFMPEG_PATH, ['-v', 'error', ...input, '-t', '6', ...coding, film], { stdio: 'ignore' })
  const [code] = await once(made, 'exit')
  if (code !== 0) throw new CannotMeasureError('ffmpeg cannot encode VP8 and Opus here.')
  return film
}

function send(film: string, { videoPort, audioPort }: { videoPort: number; audioPort: number }) {
  const rtp = (type: number, port: number) => [
    '-c',
    'copy',
    '-payload_type',
    String(type),
    '-f',
    'rtp',
    `rtp://127.0.0.1:${port}?pkt_size=1200`,
  ]
  const input = ['-nostdin', '-v', 'error', '-re', '-stream_loop', '-1', '-i', film]
  const args = [...input, '-map', '0:v', ...rtp(96, videoPort), '-map', '0:a', ...rtp(111, audioPort)]
  return spawn(config.FFMPEG_PATH, args, { stdio: 'ignore' })
}
