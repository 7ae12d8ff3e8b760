import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { createSlots } from '#lib/slots.ts'
import type { Sample } from '../../media/package/samples.ts'
import { getFileOptions } from '../../media/untrusted.ts'
import { requireIsolation } from '../../sandbox/isolation.ts'
import { streamOutput } from '../../sandbox/program-output.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { readFragments } from './fragment-reader.ts'
import type { Track } from './tracks.ts'
import { fragmentOptions } from './transcoder.ts'

/** Number of frames per second of a slate, and number of frames per key frame. */
export const [slateRate, slateGroup] = [25, 50]

export interface SlateForm {
  width: number
  height: number
  /** Audio sample rate. Null if the broadcast has no audio. */
  sampleRate: number | null
  channels: number
}

export interface SlateClip {
  init: Buffer
  tracks: Track[]
  pictures: Sample[]
  silence: Sample | undefined
}

/** Maximum number of cached slates. Each uses about 20 kB. */
const mostClips = 64

const timeout = 30_000

/** Maximum number of pixels of a slate. A publisher can claim any size, and x264 uses 20 bytes per pixel. */
const mostPixels = 4096 * 2304

/** Maximum number of slates that are created at the same time. Publishers can change their size repeatedly. */
const atOnce = 2

const niceness = 10

const limits = { memoryBytes: 2 ** 30, fileBytes: 0, cpuSeconds: 60, nice: niceness }

/** Slates of a worker. A slate is a still image with silence and is created once per size. */
export class SlateClips {
  readonly #ffmpeg: string
  readonly #clips = new Map<string, Promise<SlateClip | undefined>>()
  readonly #closed = new AbortController()
  readonly #slots = createSlots(atOnce)

  constructor(ffmpeg: string) {
    this.#ffmpeg = ffmpeg
  }

  /** Returns the slate of a form, or undefined if it cannot be created. */
  async of(form: SlateForm): Promise<SlateClip | undefined> {
    if (form.width * form.height > mostPixels) return undefined
    const key = JSON.stringify(form)
    const known = this.#clips.get(key)
    if (known !== undefined) return await known
    const [oldest] = this.#clips.keys()
    if (this.#clips.size >= mostClips && oldest) this.#clips.delete(oldest)
    const made = this.#make(form).catch((error: Error) => {
      if (!this.#closed.signal.aborted) log.error({ err: describe(error), form }, 'a slate could not be created')
      this.#clips.delete(key)
      return undefined
    })
    this.#clips.set(key, made)
    return await made
  }

  close(): void {
    this.#closed.abort()
  }

  async #make(form: SlateForm): Promise<SlateClip> {
    using _ = await this.#slots.take(this.#closed.signal)
    const isolate = await requireIsolation(usualPath)
    const samples = new Map<number, Sample[]>()
    let [init, tracks]: [Buffer | undefined, Track[]] = [undefined, []]
    const output = streamOutput({
      command: [...isolate(limits), this.#ffmpeg, ...command(form)],
      path: usualPath,
      signal: this.#closed.signal,
      timeout,
      called: 'The slate',
      nice: niceness,
      onLine: (pipe, line) => pipe === 2 && log.warn({ line: line.slice(0, 300) }, 'live slate output'),
    })
    await readFragments(output, {
      onInit(data, found) {
        ;[init, tracks] = [data, found]
      },
      onSamples({ track, samples: more }) {
        const kept = more.map((sample) => ({ ...sample, data: Buffer.from(sample.data) }))
        samples.set(track, [...(samples.get(track) ?? []), ...kept])
      },
    })
    const of = (kind: Track['kind']) => samples.get(tracks.find((track) => track.kind === kind)?.id ?? 0) ?? []
    const pictures = of('video')
    if (!init || pictures.length !== slateGroup) throw new Error('The slate is incomplete.')
    // The first frames are not used, because the encoder starts with them.
    return { init, tracks, pictures, silence: of('audio')[8] }
  }
}

/** Draws two bars on grey: a pause symbol that is understood in any language. */
function command({ width, height, sampleRate, channels }: SlateForm): string[] {
  const seconds = String(slateGroup / slateRate)
  const bar = (x: string) => `drawbox=x=${x}:y=ih*0.4:w=ih*0.06:h=ih*0.2:color=0xd8dee6:t=fill`
  const picture = `color=c=0x171b21:s=${width}x${height}:r=${slateRate}:d=${seconds},${bar('iw/2-ih*0.09')},${bar('iw/2+ih*0.03')},format=yuv420p`
  const silence = `anullsrc=r=${sampleRate}:cl=${channels === 1 ? 'mono' : 'stereo'}:d=${seconds}`
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', ...getFileOptions('lavfi'), '-f', 'lavfi', '-i', picture],
    ...(sampleRate === null
      ? []
      : [...getFileOptions('lavfi'), '-f', 'lavfi', '-i', silence, '-c:a', 'aac', '-b:a', '64k']),
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-profile:v', 'main', '-threads', '1'],
    ...['-g', String(slateGroup), '-sc_threshold', '0', ...fragmentOptions],
  ]
}
