import type { ServerResponse } from 'node:http'
import type { Track } from './tracks.ts'

/** Maximum size in bytes of the data that is kept for a slow reader. It can connect again. */
const mostBuffered = 4 * 1024 * 1024

/**
 * Sends the frames of a publication to readers as soon as the packager has written them, as a fragmented MP4 with one
 * fragment per frame. The stream ends when the packager or the clock of the publisher restarts.
 */
export class Taps {
  readonly #readers = new Set<ServerResponse>()
  #init: { bytes: Buffer; tracks: readonly Track[] } | undefined

  begin(bytes: Buffer, tracks: readonly Track[]): void {
    this.end()
    this.#init = { bytes, tracks }
  }

  /** Returns the reason why readers cannot have the frames. `isReordered`: the video has B-frames. */
  whyNot(isReordered: boolean): { status: number; reason: string } | undefined {
    if (!this.#init) return { status: 404, reason: 'no_frames' }
    if (isReordered) return { status: 409, reason: 'b_frames' }
    const isVideo = this.#init.tracks.some(({ kind }) => kind === 'video')
    return isVideo ? undefined : { status: 409, reason: 'no_video' }
  }

  /** Starts to send frames. `x-audio` says whether the stream has audio. */
  join(response: ServerResponse): void {
    if (!this.#init) return void response.writeHead(404).end()
    const hasAudio = this.#init.tracks.some(({ kind }) => kind === 'audio')
    response.writeHead(200, { 'content-type': 'video/mp4', 'cache-control': 'no-store', 'x-audio': String(hasAudio) })
    response.socket?.setNoDelay(true)
    response.write(this.#init.bytes)
    this.#readers.add(response)
    response.once('close', () => this.#readers.delete(response))
  }

  write(fragment: Buffer): void {
    for (const response of this.#readers) {
      response.write(fragment)
      if (response.writableLength > mostBuffered) response.destroy()
    }
  }

  end(): void {
    this.#init = undefined
    for (const response of this.#readers) response.end()
    this.#readers.clear()
  }
}
