import { MillraceError } from './errors.ts'
import {
  type CompletedFile,
  type FileSessionOptions,
  type FileUploadOptions,
  sendFile,
  uploadFile,
} from './file-uploads.ts'
import { Areas } from './generated/areas.ts'
import type { GuardEarned } from './generated/types.ts'
import { guard, type SolveOptions } from './guard/solve.ts'
import { Rooms } from './rooms.ts'
import type { Source } from './sources.ts'
import { type MillraceOptions, Transport } from './transport.ts'
import { uploadVideo, type VideoSessionOptions, type VideoUpload, type VideoUploadOptions } from './uploads.ts'

/**
 * Client for the Millrace API: `new Millrace({ baseUrl, apiKey }).push.send({ … })`. Both options default to
 * environment variables.
 */
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
   * Uploads a video in parallel parts and completes the upload, which starts the processing. A web page needs no API
   * key: it passes the `session` that its server started with `browser`. To resume, it passes the same session again.
   */
  async uploadVideo(source: Source, options?: VideoUploadOptions | VideoSessionOptions): Promise<VideoUpload> {
    if (options && 'session' in options) {
      const { session, ...more } = options
      return uploadVideo(this.#forSession(session), this.#fetch, source, { ...more, resume: session.uploadId })
    }
    if (!options?.token) return uploadVideo(this, this.#fetch, source, options)
    const { token, ...facts } = options
    const areas = this.#forSession({ upload_token: token })
    return uploadVideo(areas, this.#fetch, source, facts, (session) => this.#forSession(session))
  }

  /**
   * Uploads a file to the malware gate and starts its scan. Files above 64 MiB are sent in parallel parts, which can be
   * resumed. A web page passes the `session` that its server started, or an upload `token` with which it starts the
   * upload.
   */
  async uploadFile(source: Source, options: FileUploadOptions | FileSessionOptions): Promise<CompletedFile> {
    if ('session' in options) return sendFile(this.#forSession(options.session), this.#fetch, source, options)
    const { token } = options
    const areas = token ? this.#forSession({ upload_token: token }) : this
    return uploadFile(areas, this.#fetch, source, options, (session) => this.#forSession(session))
  }

  #forSession({ upload_token: apiKey }: { upload_token?: string | undefined }): Areas {
    if (apiKey) return new Areas(new Transport({ ...this.#options, apiKey }))
    throw new MillraceError('The session has no `upload_token`. Start it with `browser: { origins: […] }`.')
  }

  /** Gets a token for an action, as the guard widget does. `apiKey` must be the public key of the site. */
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
