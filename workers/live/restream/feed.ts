import { setTimeout as pause } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import { streamOutput } from '../../sandbox/program-output.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { getWhitelists } from '../origin/packager.ts'
import type { Message } from '../rtmp/chunks.ts'
import type { TagKind } from '../rtmp/flv.ts'
import { Tags } from './tags.ts'

/** Delay in milliseconds between runs, and maximum duration of a run in milliseconds. A broadcast has no fixed end. */
const [againMs, forever] = [500, 2 ** 31 - 1]

/** Limits for ffmpeg's search for tracks, in microseconds and bytes. */
const probing = ['-analyzeduration', '1000000', '-probesize', '200000', '-fpsprobesize', '0']

/** Copies the media of a stream as FLV tags with one continuous clock, until the feed is closed. */
export class Feed {
  readonly #command: readonly string[]
  readonly #tags: Tags
  readonly #closed = new AbortController()
  #input: string | undefined
  #run = new AbortController()

  constructor(ffmpeg: string, onTag: (tag: Message) => void) {
    this.#command = [
      ...['setpriv', '--pdeathsig', 'KILL', '--', 'prlimit', `--as=${2 ** 30}`, '--nofile=64', '--core=0', '--'],
      ...[ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error'],
    ]
    this.#tags = new Tags(onTag)
    void this.#follow()
  }

  /** The input to copy. Undefined while there is no publisher. */
  set input(input: string | undefined) {
    if (input === this.#input) return
    this.#input = input
    this.#run.abort(new Error('Another stream replaced this one.'))
  }

  get headers(): ReadonlyMap<TagKind, Message> {
    return this.#tags.headers
  }

  /** Time in milliseconds since the last data. */
  get quietFor(): number {
    return this.#tags.quietFor
  }

  close(): void {
    this.#closed.abort()
    this.#run.abort(new Error('The broadcast has ended.'))
  }

  async #follow(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      this.#run = new AbortController()
      if (this.#input) await this.#copy(this.#input, this.#run.signal).catch(() => {})
      if (!this.#closed.signal.aborted && !this.#run.signal.aborted)
        await pause(againMs, undefined, { signal: this.#run.signal }).catch(() => {})
    }
  }

  async #copy(input: string, signal: AbortSignal): Promise<void> {
    const output = streamOutput({
      command: [
        ...[...this.#command, ...getWhitelists(input), ...probing, '-i', input],
        ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'flv', 'pipe:1'],
      ],
      path: usualPath,
      signal,
      timeout: forever,
      called: 'The restream',
      onLine(pipe, line) {
        if (pipe === 2) log.warn({ line: line.replaceAll(input, 'input').slice(0, 300) }, 'live restream output')
      },
    })
    await this.#tags.take(output)
  }
}
