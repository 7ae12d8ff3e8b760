import { DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { ConditionProbe } from './conditions.ts'
import { type CopyResult, copyOnce, getEtag, isSameTag } from './copy-once.ts'
import { copyInParts, largestCopy } from './copy-parts.ts'
import { abortable, type PutOptions } from './multipart.ts'

export interface CopyOptions {
  etag?: string
  /** Size of the object in bytes. Required for objects above 5 GiB. */
  bytes?: number
  /** Headers of the copy. The headers of the source are not copied, because they can come from the uploader. */
  as: Pick<PutOptions, 'contentType' | 'cacheControl'>
  signal?: AbortSignal | undefined
}

/** Copies objects within a bucket, in parts if they are larger than 5 GiB. */
export class Copier {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #conditions: ConditionProbe

  constructor(client: S3Client, bucket: string, conditions: ConditionProbe) {
    this.#client = client
    this.#bucket = bucket
    this.#conditions = conditions
  }

  /**
   * Copies an object. Returns false if the object does not exist or has changed. If the store ignores the condition,
   * compares the copy with its source before returning. Throws if that comparison is not possible.
   */
  async copy(from: string, to: string, options: CopyOptions): Promise<boolean> {
    const { etag } = options
    if (etag === undefined) return (await this.#try(from, to, options)).outcome === 'copied'
    const conditions = await this.#conditions.ask()
    if (conditions === 'unknowable') {
      throw new Error(
        'The object store ignores the condition of a copy, and the copy cannot be checked. Run `millrace doctor`.',
      )
    }
    const demanded = { ...options, etag }
    if (conditions === 'compared') return await this.#compared(from, to, demanded)
    const { outcome } = await this.#try(from, to, options)
    return (
      outcome === 'copied' || (outcome === 'changed' && isOfParts(etag) && (await this.#compared(from, to, demanded)))
    )
  }

  /**
   * Copies on stores where the condition does not work. Some stores ignore it. Others compare it with an entity tag
   * that is different from the one they return for multipart uploads. The copy must have the entity tag of its source.
   * For multipart objects, the source must have the same tag before and after the copy.
   */
  async #compared(from: string, to: string, { etag, ...options }: CopyOptions & { etag: string }): Promise<boolean> {
    const isSame = async () => isSameTag(await getEtag(this.#client, this.#bucket, from, options.signal), etag)
    if (!(await isSame())) return false
    const copied = await this.#try(from, to, options)
    if (copied.outcome !== 'copied') return false
    if (isSameTag(copied.etag, etag) || (isOfParts(etag) && (await isSame()))) return true
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: to })
    if (from !== to) await this.#client.send(command, abortable(options.signal))
    return false
  }

  async #try(from: string, to: string, options: CopyOptions): Promise<CopyResult> {
    const request = { client: this.#client, bucket: this.#bucket, from, to, ...options }
    const { bytes = 0 } = options
    return bytes > largestCopy ? await copyInParts({ ...request, bytes }) : await copyOnce(request)
  }
}

/** True if an entity tag belongs to a multipart object. Such a tag is not a checksum of the content. */
const isOfParts = (etag: string) => etag.includes('-')
