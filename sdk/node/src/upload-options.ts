import { MillraceError } from './errors.ts'

export interface UploadProgress {
  bytesSent: number
  bytes: number
}

export interface UploadOptions {
  signal?: AbortSignal | undefined
  onProgress?: ((progress: UploadProgress) => void) | undefined
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
