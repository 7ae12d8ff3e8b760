import type { Readable } from 'node:stream'
import { log } from '#lib/log.ts'
import type { RoomRecordings } from '#tasks/rooms/engine.ts'
import { Recorder } from '../../live/ingest/recorder.ts'
import { readBoxes } from '../../live/origin/box-stream.ts'
import type { Room } from '../gateway/room.ts'
import type { AirTools } from './broadcasting.ts'
import { Composite } from './composite.ts'

export interface RecordingTools extends AirTools {
  recordings: RoomRecordings
}

/** Duration of a fragment in seconds. The compositor writes one video and one audio fragment per second. */
const fragmentSeconds = 0.5

/**
 * Period in milliseconds in which an empty room is still recorded, and delay in milliseconds before a failed compositor
 * is restarted.
 */
const [emptyMs, againMs] = [5_000, 2_000]

/**
 * Timeouts in milliseconds for storing the remaining output: when the room has ended, and when the worker releases the
 * room.
 */
const [restMs, lastRestMs] = [30_000, 5_000]

/**
 * The recording of a room. The output of its compositor is stored every second, so that little is lost if the worker
 * dies.
 */
export class Recording {
  readonly #room: Room
  readonly #tools: RecordingTools
  #id: string | undefined
  #recorder: Recorder | undefined
  #composite: Composite | undefined
  #written: Promise<void> = Promise.resolve()
  #run = 0
  #emptySince: number | undefined
  #againAt = 0

  constructor(room: Room, tools: RecordingTools) {
    this.#room = room
    this.#tools = tools
  }

  async look(): Promise<void> {
    if (!this.#room.record) return
    const isEmpty = this.#room.stage.length === 0
    this.#emptySince = isEmpty ? (this.#emptySince ?? Date.now()) : undefined
    if (this.#composite) {
      if (this.#emptySince !== undefined && Date.now() - this.#emptySince > emptyMs) await this.#halt()
      else await this.#composite.follow()
    } else if (!isEmpty && Date.now() >= this.#againAt) await this.#start()
  }

  /**
   * Stores the remaining output. With `ended`, an asset is created from the recording. Otherwise another worker can
   * continue the recording.
   */
  async close(how: 'ended' | 'given_up'): Promise<void> {
    await this.#halt()
    await this.#recorder?.close(how === 'ended' ? restMs : lastRestMs)
    if (how === 'ended' && this.#room.record) await this.#tools.recordings.close(this.#room.id, this.#id)
  }

  async #halt(): Promise<void> {
    const composite = this.#composite
    this.#composite = undefined
    await composite?.stop()
    await this.#written
  }

  async #start(): Promise<void> {
    this.#againAt = Date.now() + againMs
    const { shape } = this.#tools
    const recorder = await this.#open()
    const run = this.#run++
    try {
      const take = (media: Readable) => {
        this.#written = this.#write(media, recorder, run).catch((error) => {
          log.error({ err: error, room: this.#room.id }, 'a recording was aborted')
        })
      }
      const composite = await Composite.start(this.#room, { ...shape, output: { take } })
      this.#composite = composite
      void composite.ended.then(({ reason, message }) => {
        if (this.#composite !== composite || reason === 'stopped') return
        this.#composite = undefined
        log.error({ room: this.#room.id, why: message }, 'the recording of a room was interrupted')
      })
      await composite.follow()
    } catch (error) {
      log.error({ err: error, room: this.#room.id }, 'no compositor could be started')
    }
  }

  async #open(): Promise<Recorder> {
    if (this.#recorder) return this.#recorder
    const { id, start, keep } = await this.#tools.recordings.open(this.#room)
    const recorder = new Recorder(id, start, keep)
    this.#id = id
    this.#recorder = recorder
    return recorder
  }

  async #write(media: Readable, recorder: Recorder, run: number): Promise<void> {
    const header: Buffer[] = []
    let moof: Buffer | undefined
    for await (const { type, bytes } of readBoxes(media)) {
      if (type === 'ftyp' || type === 'moov') header.push(Buffer.from(bytes))
      else if (type === 'moof') moof = Buffer.from(bytes)
      else if (type === 'mdat' && moof) {
        const data = Buffer.concat([moof, bytes])
        recorder.push({ run, init: Buffer.concat(header), data, duration: fragmentSeconds })
        moof = undefined
      }
    }
  }
}
