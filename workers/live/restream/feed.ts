import { setTimeout as pause } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import { outputOf } from '../../sandbox/program-output.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { whitelistsOf } from '../origin/packager.ts'
import { encodeAmf } from './amf.ts'
import type { Message } from './chunks.ts'
import { kindOf, type TagKind, tagsOf } from './flv.ts'

/** Milliseconds between two runs, and those that a run has: a broadcast has no end of its own. */
const [againMs, forever] = [500, 2 ** 31 - 1]

/** How long ffmpeg looks for tracks, in microseconds and bytes. */
const probing = ['-analyzeduration', '1000000', '-probesize', '200000', '-fpsprobesize', '0']

/** What precedes metadata that a publisher sends, by which a server keeps it for those who join. */
const dataFrame = encodeAmf('@setDataFrame')

/** Copies what is published to a stream, as tags with one clock, as long as it is not closed. */
export class Feed {
  readonly headers = new Map<TagKind, Message>()
  readonly #command: readonly string[]
  readonly #onTag: (tag: Message) => void
  readonly #closed = new AbortController()
  #input: string | undefined
  #run = new AbortController()
  #time = 0
  #at = performance.now()

  constructor(ffmpeg: string, onTag: (tag: Message) => void) {
    this.#command = [
      ...['setpriv', '--pdeathsig', 'KILL', '--', 'prlimit', `--as=${2 ** 30}`, '--nofile=64', '--core=0', '--'],
      ...[ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error'],
    ]
    this.#onTag = onTag
    void this.#follow()
  }

  /** What is copied from now on; nothing while nobody publishes. */
  set input(input: string | undefined) {
    if (input === this.#input) return
    this.#input = input
    this.#run.abort(new Error('Another stream is sent on.'))
  }

  /** Milliseconds since something came. */
  get quietFor(): number {
    return performance.now() - this.#at
  }

  close(): void {
    this.#closed.abort()
    this.#run.abort(new Error('The broadcast is over.'))
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
    const output = outputOf({
      command: [
        ...[...this.#command, ...whitelistsOf(input), ...probing, '-i', input],
        ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'flv', 'pipe:1'],
      ],
      path: usualPath,
      signal,
      timeout: forever,
      called: 'The restream',
      onLine(pipe, line) {
        if (pipe === 2) log.warn({ line: line.replaceAll(input, 'input').slice(0, 300) }, 'live restream')
      },
    })
    this.headers.clear()
    let shift: number | undefined
    for await (const tag of tagsOf(output)) {
      // A later run goes on with the clock of the one before.
      shift ??= this.#time === 0 ? -tag.time : this.#time + Math.max(1, Math.round(this.quietFor)) - tag.time
      const timed = this.#prepared({ ...tag, time: Math.max(0, tag.time + shift) })
      this.#time = timed.time
      this.#at = performance.now()
      this.#onTag(timed)
    }
  }

  /** Keeps what somebody who joins needs first. */
  #prepared(tag: Message): Message {
    const kind = kindOf(tag)
    const prepared = kind === 'metadata' ? { ...tag, body: Buffer.concat([dataFrame, tag.body]) } : tag
    if (kind === 'metadata' || kind === 'video header' || kind === 'audio header') this.headers.set(kind, prepared)
    return prepared
  }
}
