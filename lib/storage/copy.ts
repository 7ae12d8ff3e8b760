import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { abortable, isMissing, type PutOptions } from './multipart.ts'

/** What is copied, and as what. */
export interface CopyOptions {
  /** Only the object with this entity tag. */
  etag?: string
  /** With these headers alone: its own may be the uploader's. */
  as: Pick<PutOptions, 'contentType' | 'cacheControl'>
  signal?: AbortSignal | undefined
}

/** Copies objects of at most 5 GiB within a bucket. */
export class Copier {
  readonly #client: S3Client
  readonly #bucket: string

  constructor(client: S3Client, bucket: string) {
    this.#client = client
    this.#bucket = bucket
  }

  /** Copies an object; false when there is none, or when it is another by now. */
  async copy(from: string, to: string, options: CopyOptions): Promise<boolean> {
    const outcome = await this.#try(from, to, options)
    const cameInParts = options.etag?.includes('-')
    if (outcome === 'changed' && cameInParts) return await this.#copyOfParts(from, to, options)
    return outcome === 'copied'
  }

  /**
   * Some stores compare a copy's condition with another entity tag than they return for multipart uploads; there, the
   * object's tag is read before and after.
   */
  async #copyOfParts(from: string, to: string, { etag, ...options }: CopyOptions): Promise<boolean> {
    const isSame = async () => (await this.#etagOf(from, options.signal)) === etag
    if (!(await isSame()) || (await this.#try(from, to, options)) !== 'copied') return false
    if (await isSame()) return true
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: to }), abortable(options.signal))
    return false
  }

  async #try(from: string, to: string, { etag, as, signal }: CopyOptions): Promise<'copied' | 'changed' | 'missing'> {
    const command = new CopyObjectCommand({
      Bucket: this.#bucket,
      Key: to,
      CopySource: [this.#bucket, ...from.split('/')].map(encodeURIComponent).join('/'),
      CopySourceIfMatch: etag,
      MetadataDirective: 'REPLACE',
      ContentType: as.contentType,
      CacheControl: as.cacheControl,
    })
    try {
      await this.#client.send(command, abortable(signal))
      return 'copied'
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return 'changed'
      if (isMissing(error)) return 'missing'
      throw error
    }
  }

  async #etagOf(key: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: key })
    try {
      return (await this.#client.send(command, abortable(signal))).ETag
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }
}
