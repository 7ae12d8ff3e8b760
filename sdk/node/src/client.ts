import { Areas } from './generated/areas.ts'
import type { GuardEarned } from './generated/types.ts'
import { guard, type SolveOptions } from './guard/solve.ts'
import type { Source } from './sources.ts'
import { type MillraceOptions, Transport } from './transport.ts'
import {
  type FileUploadOptions,
  uploadFile,
  uploadVideo,
  type VideoUpload,
  type VideoUploadOptions,
} from './uploads.ts'

/** The client: `new Millrace({ baseUrl, apiKey }).push.send({ … })`. */
export class Millrace extends Areas {
  readonly #fetch: typeof fetch

  constructor(options: MillraceOptions) {
    super(new Transport(options))
    this.#fetch = options.fetch ?? ((...given) => globalThis.fetch(...given))
  }

  /** Uploads a video in parts, several at once, and completes it; processing begins. */
  uploadVideo(source: Source, options?: VideoUploadOptions): Promise<VideoUpload> {
    return uploadVideo(this, this.#fetch, source, options)
  }

  /** Uploads a file to behind the malware gate, and has it scanned. */
  uploadFile(source: Source, options: FileUploadOptions): ReturnType<typeof uploadFile> {
    return uploadFile(this, this.#fetch, source, options)
  }

  /** Earns a token for an action, as the guard's widget does; `apiKey` is the site's public key. */
  async guardToken(action: string, options: SolveOptions = {}): Promise<GuardEarned> {
    const { signal } = options
    const challenge = await this.guard.challenges.create({ action }, { signal })
    return await this.guard.answers.complete(
      challenge.id,
      { answer: await guard.solve(challenge, options) },
      { signal },
    )
  }
}
