import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { log } from '#lib/log.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { liveThumbnailKey } from '#tasks/video/rules/keys.ts'
import { createCommand } from '../../media/command.ts'
import type { MediaTools } from '../../media/media-tools.ts'
import { fileUrl, openUpload } from '../../media/untrusted.ts'
import type { LivePart } from '../origin/channel.ts'

const everyMs = 10_000

/** Stores a thumbnail of every live channel. The thumbnail is at most `everyMs` or one key frame interval old. */
export class Thumbnails {
  readonly #tools: MediaTools
  readonly #storage: Storage
  readonly #next = new Map<string, number>()
  readonly #takenAt = new Map<string, string>()
  readonly #ended = new AbortController()
  /** True while a thumbnail is created. Each worker creates one at a time, because live media has priority. */
  #busy = false

  constructor(tools: MediaTools, storage: Storage) {
    this.#tools = tools
    this.#storage = storage
  }

  /** Offers a part. Creates a thumbnail if the part starts with a key frame and a thumbnail is due. */
  offer(channelId: string, part: LivePart): void {
    if (!part.independent || part.frames === 0 || this.#busy || (this.#next.get(channelId) ?? 0) > Date.now()) return
    this.#next.set(channelId, Date.now() + everyMs)
    this.#busy = true
    this.#take(channelId, part)
      .catch((error) =>
        log.warn({ err: error, channel: channelId }, 'the thumbnail of a live channel could not be created'),
      )
      .finally(() => {
        this.#busy = false
      })
  }

  takenAt(channelId: string): string | undefined {
    return this.#takenAt.get(channelId)
  }

  forget(channelId: string): void {
    this.#next.delete(channelId)
    this.#takenAt.delete(channelId)
  }

  close(): void {
    this.#ended.abort()
  }

  async #take(channelId: string, part: LivePart): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-picture-'))
    try {
      const [source, output] = [join(folder, 'part.mp4'), join(folder, 'picture.jpg')]
      await writeFile(source, Buffer.concat([part.init, part.data]))
      const command = createCommand(openUpload(source))
        .output(fileUrl(output))
        .outputOptions('-frames:v', '1', '-vf', "scale='min(640,iw)':-2", '-q:v', '5', '-pix_fmt', 'yuvj420p', '-an')
        .format('image2')
      const signal = this.#ended.signal
      const run = await this.#tools.ffmpeg(command, { call: { signal }, timeout: 10_000 })
      if (!run.ok) throw new Error(run.messages.at(-1) ?? 'ffmpeg failed')
      const body = await readFile(output)
      await this.#storage.put(liveThumbnailKey(channelId), body, { contentType: 'image/jpeg', signal })
      if (this.#next.has(channelId)) this.#takenAt.set(channelId, new Date(part.at).toISOString())
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
