import { DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { ConditionProbe } from './conditions.ts'
import { type CopyResult, copyOnce, getEtag, isSameTag } from './copy-once.ts'
import { abortable, type PutOptions } from './multipart.ts'

export interface CopyOptions {
  etag?: string
  /** Headers of the copy. The source’s headers can come from the uploader. */
  as: Pick<PutOptions, 'contentType' | 'cacheControl'>
  signal?: AbortSignal | undefined
}

/** Copies objects of up to 5 GiB within a bucket. */
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
   * Copies an object. Returns false if it does not exist or has changed. On stores that ignore the condition, the copy
   * is compared with its source before the result is returned. Throws if the store ignores the condition and the copy
   * cannot be compared.
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
   * Copies on stores where the condition does not work: stores that ignore it, or compare it with another entity tag
   * than they return for multipart uploads. The copy must have the entity tag of its source. For multipart objects, the
   * source must have the tag before and after the copy.
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
    return await copyOnce({ client: this.#client, bucket: this.#bucket, from, to, ...options })
  }
}

/** True if an entity tag belongs to a multipart object. Such a tag is not a checksum of the bytes. */
const isOfParts = (etag: string) => etag.includes('-')
