import { MillraceError } from './errors.ts'
import { Areas } from './generated/areas.ts'
import type { GuardEarned } from './generated/types.ts'
import { guard, type SolveOptions } from './guard/solve.ts'
import { Rooms } from './rooms.ts'
import type { Source } from './sources.ts'
import { type MillraceOptions, Transport } from './transport.ts'
import {
  type FileSessionOptions,
  type FileUploadOptions,
  sendFile,
  uploadFile,
  uploadVideo,
  type VideoSessionOptions,
  type VideoUpload,
  type VideoUploadOptions,
} from './uploads.ts'

/** The client: `new Millrace({ baseUrl, apiKey }).push.send({ … })`; both may come from the environment. */
export class Millrace extends Areas {
  override readonly rooms: Rooms
  readonly #fetch: typeof fetch
  readonly #options: MillraceOptions

  constructor(options: MillraceOptions = {}) {
    const transport = new Transport(options)
    super(transport)
    this.rooms = new Rooms(transport)
    this.#options = options
    this.#fetch = options.fetch ?? ((...given) => globalThis.fetch(...given))
  }

  /**
   * Uploads a video in parts, several at once, and completes it; processing begins. A page needs no key: it gives the
   * `session` that its server has started with `browser`, and again to go on with what broke off.
   */
  async uploadVideo(source: Source, options?: VideoUploadOptions | VideoSessionOptions): Promise<VideoUpload> {
    if (options && 'session' in options) {
      const { session, ...more } = options
      return uploadVideo(this.#forSession(session), this.#fetch, source, { ...more, resume: session.uploadId })
    }
    return uploadVideo(this, this.#fetch, source, options)
  }

  /** Uploads a file to behind the malware gate, and has it scanned; a page gives the `session` of its server, as for a video. */
  async uploadFile(
    source: Source,
    options: FileUploadOptions | FileSessionOptions,
  ): Promise<Awaited<ReturnType<typeof uploadFile>>> {
    if ('session' in options) return sendFile(this.#forSession(options.session), this.#fetch, source, options)
    return uploadFile(this, this.#fetch, source, options)
  }

  #forSession({ upload_token: apiKey }: { upload_token?: string | undefined }): Areas {
    if (apiKey) return new Areas(new Transport({ ...this.#options, apiKey }))
    throw new MillraceError('The session has no `upload_token`. Start it with `browser: { origins: […] }`.')
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
