import { ConflictError, MillraceError } from './errors.ts'
import type { Areas } from './generated/areas.ts'
import type { VideoUploadSession, VideoUploadsStartBody } from './generated/types.ts'
import { sendParts } from './parts.ts'
import { type Source, toSliceable } from './sources.ts'
import { UploadError, type UploadOptions } from './upload-options.ts'

export interface VideoUploadOptions extends UploadOptions, Omit<VideoUploadsStartBody, 'bytes'> {
  /** ID of the upload to resume. Only the missing parts are sent. */
  resume?: string | undefined
  /** Called with the IDs as soon as they exist. Store the IDs so that you can resume the upload. */
  onStart?: ((started: VideoUpload) => void) | undefined
  /** Maximum number of parts that are sent at the same time. Default: the recommendation of the API. */
  concurrency?: number | undefined
  /** Upload token of a web page. It replaces the API key. */
  token?: string | undefined
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

interface Plan extends VideoUpload {
  partSizeBytes: number
  partsExpected: number
  recommendedConcurrency: number
  /** Numbers of the parts that storage already has. */
  received: number[]
  upload_token?: string | undefined
}

/** Uploads a video in parallel parts and completes the upload, which starts the processing. */
export async function uploadVideo(
  areas: Areas,
  fetcher: typeof fetch,
  source: Source,
  { signal, onProgress, resume, onStart, concurrency, token: _, ...facts }: VideoUploadOptions = {},
  withToken: (session: { upload_token?: string | undefined }) => Areas = () => areas,
): Promise<VideoUpload> {
  const content = toSliceable(source)
  const { bytes, filename } = content
  const plan = resume ? await resumed(areas, resume, bytes, signal) : undefined
  if (plan === 'completed') return await completed(areas, resume as string, signal)
  const started: Plan = plan ?? {
    ...(await areas.video.uploads.start({ ...(filename ? { filename } : {}), ...facts, bytes }, { signal })),
    received: [],
  }
  const { uploadId, assetId } = started
  const own = started.upload_token ? withToken(started) : areas
  onStart?.({ uploadId, assetId })
  try {
    const sign = async (part: number, ends: AbortSignal) => {
      const { parts } = await own.video.uploadParts.sign(uploadId, { partNumbers: [part] }, { signal: ends })
      return parts[0]?.url
    }
    const { partSizeBytes: partSize, partsExpected: parts, received, recommendedConcurrency } = started
    const plan = { partSize, parts, received, concurrency: concurrency ?? recommendedConcurrency }
    await sendParts(fetcher, content, plan, sign, { signal, onProgress })
    return await completed(own, uploadId, signal)
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
