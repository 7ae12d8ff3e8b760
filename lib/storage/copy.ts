import { DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { ConditionProbe } from './conditions.ts'
import { type Copied, copyOnce, etagOf, isSameTag } from './copy-once.ts'
import { abortable, type PutOptions } from './multipart.ts'

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
  readonly #conditions: ConditionProbe

  constructor(client: S3Client, bucket: string, conditions: ConditionProbe) {
    this.#client = client
    this.#bucket = bucket
    this.#conditions = conditions
  }

  /**
   * Copies an object; false when there is none, or when it is another by now. That holds on stores that ignore the condition, too:
   * there the copy is compared before anybody is told of it. Throws where a store ignores it and lets nobody compare.
   */
  async copy(from: string, to: string, options: CopyOptions): Promise<boolean> {
    const { etag } = options
    if (etag === undefined) return (await this.#try(from, to, options)).outcome === 'copied'
    const conditions = await this.#conditions.ask()
    if (conditions === 'unknowable') {
      throw new Error('The object store copies whatever the condition, and does not tell what: see `millrace doctor`.')
    }
    const demanded = { ...options, etag }
    if (conditions === 'compared') return await this.#compared(from, to, demanded)
    const { outcome } = await this.#try(from, to, options)
    return (
      outcome === 'copied' || (outcome === 'changed' && isOfParts(etag) && (await this.#compared(from, to, demanded)))
    )
  }

  /**
   * Copies where the condition is of no use: on stores that ignore it, and where it is held against another entity tag than they
   * return for multipart uploads. The copy has its source's tag, or else, of an object that came in parts, the source has it before and after.
   */
  async #compared(from: string, to: string, { etag, ...options }: CopyOptions & { etag: string }): Promise<boolean> {
    const isSame = async () => isSameTag(await etagOf(this.#client, this.#bucket, from, options.signal), etag)
    if (!(await isSame())) return false
    const copied = await this.#try(from, to, options)
    if (copied.outcome !== 'copied') return false
    if (isSameTag(copied.etag, etag) || (isOfParts(etag) && (await isSame()))) return true
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: to })
    if (from !== to) await this.#client.send(command, abortable(options.signal))
    return false
  }

  async #try(from: string, to: string, options: CopyOptions): Promise<Copied> {
    return await copyOnce({ client: this.#client, bucket: this.#bucket, from, to, ...options })
  }
}

/** Whether an entity tag is that of an object which came in parts: it is no sum over its bytes. */
const isOfParts = (etag: string) => etag.includes('-')
