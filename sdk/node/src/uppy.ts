/** Uploads with Uppy and its plugin `@uppy/aws-s3`, version 6 or later. The parts go directly to storage. */
import { MillraceError } from './errors.ts'
import { checkedBase } from './transport.ts'

/** The parts of a file of Uppy that are used here. */
export interface UppyFile {
  id: string
  name?: string | undefined
  type?: string | undefined
  size: number | null
  data: unknown
  s3Multipart?: { uploadId: string; key: string } | undefined
}

/** The parts of Uppy that are used here. */
export interface UppyLike {
  getFile(id: string): UppyFile
  setFileState(id: string, state: Record<string, unknown>): void
  addPreProcessor(run: (ids: string[]) => unknown): void
  addPostProcessor(run: (ids: string[]) => unknown): void
}

/** The upload of one file: the response of `files.multipart.start` or `video.uploads.start`. */
export interface UppySession {
  upload_token?: string | undefined
  object_id?: string | undefined
  uploadId?: string | undefined
  part_size?: number | undefined
  partSizeBytes?: number | undefined
}

export interface UppyOptions {
  /** URL of the API, with or without `/v1`. */
  baseUrl: string
  /** The area that receives the files. */
  area: 'files' | 'stream'
  /**
   * Starts the upload of a file: by your server, or by the page with an upload token. The response must have an
   * `upload_token`.
   */
  start(file: UppyFile): Promise<UppySession>
  /** Where sessions are kept, so that an upload resumes after a reload. Default: `localStorage`. */
  store?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
}

interface Request {
  method: string
  key: string
  uploadId?: string
  partNumber?: number
}

interface Kept {
  id: string
  token: string
  partSize: number
}

interface UppySigner {
  /** Options of `@uppy/aws-s3`. */
  options: {
    shouldUseMultipart: (file: { size?: number | null }) => boolean
    getChunkSize: (file: { size: number }) => number
    generateObjectKey: (file: { id: string }) => string
    signRequest: (request: Request) => Promise<{ url: string; key?: string; headers?: Record<string, string> }>
  }
}

/** Connects Uppy to Millrace. Pass `options` of the result to `uppy.use(AwsS3, …)`. */
export function connectUppy(uppy: UppyLike, { baseUrl, area, start, store = localStorage }: UppyOptions): UppySigner {
  const root = `${checkedBase(baseUrl)}/v1/${area}/uploads`
  const sessions = new Map<string, Kept>()
  const partSizes = new Map<number, number>()

  function remember(size: number, session: Kept): Kept {
    sessions.set(session.id, session)
    partSizes.set(size, session.partSize)
    return session
  }

  async function call(session: Kept, method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const answer = await fetch(`${root}/${session.id}${path}`, init)
    if (answer.ok) return answer
    const said = (await answer.json().catch(() => ({}))) as { error?: { message?: string } }
    throw Object.assign(new MillraceError(said.error?.message ?? `The API returned ${answer.status}.`), {
      status: answer.status,
    })
  }

  /** Starts an upload, and keeps its session for a reload. */
  async function begin(file: UppyFile): Promise<Kept> {
    const given = await start(file)
    const [id, partSize] = [given.object_id ?? given.uploadId, given.part_size ?? given.partSizeBytes]
    if (!id || !partSize || !given.upload_token)
      throw new MillraceError('`start` must return the response of an upload in parts, with an `upload_token`.')
    const session = { id, token: given.upload_token, partSize }
    store.setItem(nameOf(area, file), JSON.stringify(session))
    return remember(file.size ?? 0, session)
  }

  /** Returns the kept session of a file if its upload still exists. */
  async function find(file: UppyFile): Promise<Kept | undefined> {
    const text = store.getItem(nameOf(area, file))
    if (text === null) return undefined
    const session = JSON.parse(text) as Kept
    try {
      await call(session, 'GET', '')
      return remember(file.size ?? 0, session)
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error
      store.removeItem(nameOf(area, file))
      return undefined
    }
  }

  uppy.addPreProcessor(async (ids) => {
    for (const file of ids.map((id) => uppy.getFile(id))) {
      const known = file.s3Multipart && sessions.has(file.s3Multipart.uploadId)
      const session = known ? undefined : await find(file)
      if (session) uppy.setFileState(file.id, { s3Multipart: { uploadId: session.id, key: session.id } })
      else if (!known && file.s3Multipart) uppy.setFileState(file.id, { s3Multipart: undefined })
    }
  })

  // Storage has joined the parts. This starts the scan or the processing.
  uppy.addPostProcessor(async (ids) => {
    for (const file of ids.map((id) => uppy.getFile(id) as UppyFile & { response?: { body?: { key?: string } } })) {
      const session = sessions.get(file.response?.body?.key ?? '')
      if (!session) continue
      await call(session, 'POST', '/complete', {})
      store.removeItem(nameOf(area, file))
    }
  })

  async function signPart(session: Kept, number: number): Promise<{ url: string }> {
    const body = area === 'files' ? { part_numbers: [number] } : { partNumbers: [number] }
    const { parts } = (await (await call(session, 'POST', '/parts/sign', body)).json()) as { parts: { url: string }[] }
    return { url: parts[0]?.url ?? '' }
  }

  return {
    options: {
      shouldUseMultipart: ({ size }) => (size ?? 0) > 0,
      getChunkSize: ({ size }) => partSizes.get(size) ?? usualPartSize(size),
      generateObjectKey: ({ id }) => id,
      async signRequest({ method, key, uploadId, partNumber }) {
        if (uploadId === undefined) {
          if (method !== 'POST') throw new MillraceError('An empty file cannot be uploaded in parts.')
          const session = await begin(uppy.getFile(key))
          return { url: `${root}/${session.id}/s3/initiate`, key: session.id, headers: authorization(session) }
        }
        const session = sessions.get(uploadId)
        if (!session) throw new MillraceError(`The upload ${uploadId} was not started on this page.`)
        if (partNumber !== undefined) return await signPart(session, partNumber)
        return { url: `${root}/${session.id}/s3`, headers: authorization(session) }
      },
    },
  }
}

const authorization = ({ token }: Kept) => ({ authorization: `Bearer ${token}` })

/** The part size of the API: about 1,000 parts of at least 5 MiB. Uppy asks for it before the upload is started. */
function usualPartSize(size: number): number {
  const MiB = 1024 ** 2
  return Math.min(64 * MiB, Math.max(5 * MiB, Math.ceil(size / 1000 / MiB) * MiB))
}

/** The name of a file's session in the store. A changed file gets another upload. */
function nameOf(area: string, { name, size, data }: UppyFile): string {
  const changed = data instanceof File ? data.lastModified : ''
  return `millrace-upload ${area} ${size} ${changed} ${name}`
}
