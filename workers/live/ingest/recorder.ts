import { setTimeout as pause } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import type { KeepChunk, RecordingStart } from '#tasks/live/engine.ts'
import type { LivePart } from '../origin/channel.ts'

/**
 * Duration in seconds of a broadcast's data per object. With shorter objects, less is lost if a host fails, but there
 * are more objects.
 */
const chunkSeconds = 1

/** Maximum size in bytes of data that waits while storage is unavailable. Further data is not recorded. */
const mostWaiting = 64 * 2 ** 20

const mostUsual = 5

/** First and maximum interval in milliseconds between attempts while storage is unavailable. */
const [soonest, latest] = [250, 4_000]

interface PendingChunk {
  epoch: number
  buffers: Buffer[]
  bytes: number
  seconds: number
}

/** Stores the data of a broadcast in order, one object at a time. */
export class Recorder {
  readonly #keep: KeepChunk
  readonly #id: string
  #number: number
  #epoch: number
  #init: Buffer | undefined
  #run: number | undefined
  readonly #waiting: PendingChunk[] = []
  #waitingBytes = 0
  #dropped = false
  #closing = false
  #lost = false
  readonly #given = new AbortController()
  #pumping: Promise<void> | undefined

  constructor(id: string, start: RecordingStart, keep: KeepChunk) {
    this.#id = id
    this.#keep = keep
    this.#number = start.number
    this.#epoch = start.epoch - 1
  }

  /** The next part starts with a new initialisation segment, because another packager creates it. */
  cut(): void {
    this.#run = undefined
  }

  push(part: Pick<LivePart, 'run' | 'init' | 'data' | 'duration'>): void {
    if (this.#waitingBytes + part.data.length > mostWaiting) {
      this.#drop()
      return
    }
    this.#dropped = false
    const begins = part.run !== this.#run || this.#init === undefined || !part.init.equals(this.#init)
    if (begins) {
      this.#epoch++
      this.#run = part.run
      this.#init = part.init
    }
    let last = this.#waiting.at(-1)
    if (begins || !last || last.seconds >= chunkSeconds) {
      last = { epoch: this.#epoch, buffers: [], bytes: 0, seconds: 0 }
      this.#waiting.push(last)
    }
    for (const buffer of begins ? [part.init, part.data] : [part.data]) {
      last.buffers.push(buffer)
      last.bytes += buffer.length
      this.#waitingBytes += buffer.length
    }
    last.seconds += part.duration
    this.#pump()
  }

  get warnings(): string[] {
    if (this.#dropped) return ['Object storage is unavailable or full. New data is not recorded.']
    return this.#waiting.length > mostUsual ? ['The recording is waiting for storage.'] : []
  }

  async close(ms: number): Promise<void> {
    this.#closing = true
    this.#pump()
    const timer = setTimeout(() => this.#given.abort(), ms)
    await this.#pumping
    clearTimeout(timer)
    if (this.#lost || this.#waiting.length > 0)
      log.error({ recording: this.#id }, 'the end of a recording was not stored')
  }

  #drop(): void {
    if (!this.#dropped)
      log.error({ recording: this.#id }, 'a recording has a gap: object storage is unavailable or too slow')
    this.#dropped = true
  }

  #isDue(): boolean {
    const [first] = this.#waiting
    return first !== undefined && (this.#closing || this.#waiting.length > 1 || first.seconds >= chunkSeconds)
  }

  #pump(): void {
    if (this.#pumping || !this.#isDue()) return
    this.#pumping = this.#storeAll().finally(() => {
      this.#pumping = undefined
      if (!this.#given.signal.aborted) this.#pump()
    })
  }

  async #storeAll(): Promise<void> {
    while (this.#isDue() && !this.#given.signal.aborted) {
      const chunk = this.#waiting.shift() as PendingChunk
      if (!(await this.#store(chunk))) this.#lost = true
      this.#waitingBytes -= chunk.bytes
    }
  }

  /** Stores a chunk. Retries until it succeeds. Returns false if the chunk was given up. */
  async #store({ epoch, buffers, seconds }: PendingChunk): Promise<boolean> {
    const number = this.#number++
    const body = Buffer.concat(buffers)
    for (let wait = soonest; !this.#given.signal.aborted; wait = Math.min(2 * wait, latest)) {
      try {
        await this.#keep({ number, epoch, body, seconds }, this.#given.signal)
        return true
      } catch (error) {
        if (wait === soonest) log.warn({ err: error, recording: this.#id }, 'a recording is waiting for storage')
        await pause(wait, undefined, { signal: this.#given.signal }).catch(() => {})
      }
    }
    return false
  }
}
