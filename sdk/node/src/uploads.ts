import { ConflictError, MillraceError } from './errors.ts'
import type { Areas } from './generated/areas.ts'
import type {
  FilesUpload,
  FilesUploadsStartBody,
  VideoUploadSession,
  VideoUploadsStartBody,
} from './generated/types.ts'
import { type Sliceable, type Source, toSliceable } from './sources.ts'
import { putToStorage } from './storage.ts'

export interface UploadProgress {
  bytesSent: number
  bytes: number
}

export interface UploadOptions {
  signal?: AbortSignal | undefined
  onProgress?: ((progress: UploadProgress) => void) | undefined
}

export interface VideoUploadOptions extends UploadOptions, Omit<VideoUploadsStartBody, 'bytes'> {
  /** ID of the upload to resume. Only the missing parts are sent. */
  resume?: string | undefined
  /** Called with the IDs as soon as they exist. Store the IDs so that you can resume the upload. */
  onStart?: ((started: VideoUpload) => void) | undefined
  /** Maximum number of parts that are sent at the same time. Default: the recommendation of the API. */
  concurrency?: number | undefined
}

/** Options to upload a video from a web page. The server started the upload with `browser`. */
export interface VideoSessionOptions extends UploadOptions, Pick<VideoUploadOptions, 'onStart' | 'concurrency'> {
  /** Response of `video.uploads.start`. */
  session: Pick<VideoUploadSession, 'uploadId' | 'upload_token'>
}

export interface VideoUpload {
  uploadId: string
  assetId: string
}

export interface FileUploadOptions extends UploadOptions, Omit<FilesUploadsStartBody, 'byte_size' | 'filename'> {
  /** File name. Default: the name of a `File`. */
  filename?: string | undefined
}

/** Options to upload a file from a web page. The server started the upload with `browser`. */
export interface FileSessionOptions extends UploadOptions {
  /** Response of `files.uploads.start`. */
  session: Pick<FilesUpload, 'object_id' | 'upload_url' | 'upload_headers' | 'upload_token'>
}

/** Thrown if the upload was interrupted. Pass `uploadId` as `resume` to continue. */
export class UploadError extends MillraceError {
  override name = 'UploadError'
  readonly uploadId: string

  constructor(uploadId: string, cause: unknown) {
    super(`The upload ${uploadId} was interrupted: ${cause instanceof Error ? cause.message : cause}`, { cause })
    this.uploadId = uploadId
  }
}

interface Plan extends VideoUpload {
  partSizeBytes: number
  partsExpected: number
  recommendedConcurrency: number
  /** Numbers of the parts that storage already has. */
  received: number[]
}

/** Uploads a video in parallel parts and completes the upload, which starts the processing. */
export async function uploadVideo(
  areas: Areas,
  fetcher: typeof fetch,
  source: Source,
  { signal, onProgress, resume, onStart, concurrency, ...facts }: VideoUploadOptions = {},
): Promise<VideoUpload> {
  const content = toSliceable(source)
  const { bytes, filename } = content
  const plan = resume ? await resumed(areas, resume, bytes, signal) : undefined
  if (plan === 'completed') return await completed(areas, resume as string, signal)
  const started = plan ?? {
    ...(await areas.video.uploads.start({ ...(filename ? { filename } : {}), ...facts, bytes }, { signal })),
    received: [],
  }
  const { uploadId, assetId } = started
  onStart?.({ uploadId, assetId })
  try {
    await sendParts(areas, fetcher, content, started, { signal, onProgress, concurrency })
    return await completed(areas, uploadId, signal)
  } catch (failure) {
    signal?.throwIfAborted()
    throw new UploadError(uploadId, failure)
  }
}

async function completed(areas: Areas, uploadId: string, signal: AbortSignal | undefined): Promise<VideoUpload> {
  // A second call returns the same response, so the call can be repeated.
  const { assetId } = await areas.video.uploads.complete(uploadId, { signal })
  return { uploadId, assetId }
}

/** Returns the remaining parts of an existing upload. */
async function resumed(
  areas: Areas,
  uploadId: string,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<Plan | 'completed'> {
  const status = await areas.video.uploads.status(uploadId, { signal })
  if (status.bytes !== bytes) {
    throw new MillraceError(`The upload ${uploadId} has ${status.bytes} bytes, but this source has ${bytes}.`)
  }
  if (status.state === 'completed') return 'completed'
  if (status.state === 'paused') await areas.video.uploads.resume(uploadId, { signal })
  if (status.state === 'aborted' || status.state === 'expired') {
    const { state } = status
    throw new ConflictError({
      status: 409,
      code: `upload_${state}`,
      message: `The upload ${uploadId} is ${state}. Start a new upload.`,
    })
  }
  return { ...status, received: status.partsReceived, recommendedConcurrency: 4 }
}

async function sendParts(
  areas: Areas,
  fetcher: typeof fetch,
  content: Sliceable,
  { uploadId, partSizeBytes, partsExpected, received, recommendedConcurrency }: Plan,
  { signal, onProgress, concurrency = recommendedConcurrency }: UploadOptions & { concurrency?: number | undefined },
): Promise<void> {
  const { bytes } = content
  const ends = (part: number) => Math.min(part * partSizeBytes, bytes)
  const sizeOf = (part: number) => ends(part) - ends(part - 1)
  const had = new Set(received)
  const missing = Array.from({ length: partsExpected }, (_, i) => i + 1).filter((part) => !had.has(part))
  let bytesSent = received.reduce((sum, part) => sum + sizeOf(part), 0)
  onProgress?.({ bytesSent, bytes })
  // If a part fails, all others are aborted.
  const failed = new AbortController()
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal

  const send = async (part: number) => {
    const body = await content.slice(ends(part - 1), ends(part))
    const put = async () => {
      const { parts } = await areas.video.uploadParts.sign(uploadId, { partNumbers: [part] }, { signal: either })
      const [signed] = parts
      if (!signed) throw new MillraceError(`The API returned no signed URL for part ${part}.`)
      return { url: signed.url, body }
    }
    await putToStorage(put, fetcher, either)
    bytesSent += sizeOf(part)
    onProgress?.({ bytesSent, bytes })
  }
  const sender = async () => {
    for (let part = missing.shift(); part !== undefined; part = missing.shift()) await send(part)
  }
  let why: unknown
  const senders = Array.from({ length: Math.max(1, concurrency) }, () =>
    sender().catch((failure) => {
      why ??= failure
      failed.abort(failure)
    }),
  )
  await Promise.all(senders)
  if (why !== undefined) throw why
}

/**
 * Uploads a file to the malware gate and starts its scan. When the scan has found nothing, `scan_status` is `clean`.
 */
export async function uploadFile(
  areas: Areas,
  fetcher: typeof fetch,
  source: Source,
  { signal, onProgress, filename, ...facts }: FileUploadOptions,
): Promise<Awaited<ReturnType<Areas['files']['uploads']['complete']>>> {
  const content = toSliceable(source)
  const { bytes } = content
  const name = filename ?? content.filename
  if (name === undefined) throw new MillraceError('The source has no name. Pass `filename`.')
  const started = await areas.files.uploads.start({ ...facts, filename: name, byte_size: bytes }, { signal })
  await putFile(fetcher, content, started, { signal, onProgress })
  const { tenant_id } = facts
  return await areas.files.uploads.complete(started.object_id, tenant_id ? { tenant_id } : {}, { signal })
}

/** Sends the file of an upload that a server has started, and starts the scan. */
export async function sendFile(
  areas: Areas,
  fetcher: typeof fetch,
  source: Source,
  { session, signal, onProgress }: FileSessionOptions,
): Promise<Awaited<ReturnType<typeof uploadFile>>> {
  const content = toSliceable(source)
  const { byte_size } = await areas.files.objects.read(session.object_id, {}, { signal })
  if (byte_size !== content.bytes) {
    throw new MillraceError(`The upload has ${byte_size} bytes, but this source has ${content.bytes}.`)
  }
  await putFile(fetcher, content, session, { signal, onProgress })
  return await areas.files.uploads.complete(session.object_id, {}, { signal })
}

async function putFile(
  fetcher: typeof fetch,
  content: Sliceable,
  { upload_url: url, upload_headers: headers }: Pick<FilesUpload, 'upload_url' | 'upload_headers'>,
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  const { bytes } = content
  onProgress?.({ bytesSent: 0, bytes })
  const body = await content.slice(0, bytes)
  await putToStorage(async () => ({ url, headers, body }), fetcher, signal)
  onProgress?.({ bytesSent: bytes, bytes })
}
