import { randomUUID } from 'node:crypto'
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { copyOnce, getEtag, isSameTag } from './copy-once.ts'

/**
 * How a store handles the condition of a copy (`x-amz-copy-source-if-match`). `kept`: the store rejects a copy whose
 * condition is false. `compared`: the store ignores the condition, but the copy has the entity tag of its source, so
 * Millrace can check the copy. `unknowable`: the store ignores the condition, and Millrace cannot check the copy.
 */
export type CopyConditionSupport = 'kept' | 'compared' | 'unknowable'

/** Prefix of the objects that test a store. If the process exits early, the bucket’s lifecycle rules delete them. */
const prefix = 'incoming/probe-'

const heldMs = 3_600_000

export class ConditionProbe {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #ms: number
  #found: Promise<CopyConditionSupport> | undefined
  #askedAt = 0

  constructor(client: S3Client, bucket: string, ms = heldMs) {
    this.#client = client
    this.#bucket = bucket
    this.#ms = ms
  }

  /** Returns how the store handles conditions. Rejects if the store is unavailable, and the next call tries again. */
  async ask(): Promise<CopyConditionSupport> {
    const now = performance.now()
    if (now - this.#askedAt >= this.#ms) this.#found = undefined
    if (!this.#found) {
      this.#found = this.#probe()
      this.#askedAt = now
    }
    const found = this.#found
    try {
      return await found
    } catch (error) {
      if (this.#found === found) this.#found = undefined
      throw error
    }
  }

  async #probe(): Promise<CopyConditionSupport> {
    const from = `${prefix}${randomUUID()}`
    const to = `${from}-copy`
    const remove = async () => {
      for (const Key of [from, to])
        await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key })).catch(() => {})
    }
    try {
      const found = await this.#provoke(from, to)
      await remove()
      return found
    } catch (error) {
      // The copy can exist despite the error, so it is removed. The call does not wait for this, because the store can
      // be unavailable.
      void remove()
      throw error
    }
  }

  async #provoke(from: string, to: string): Promise<CopyConditionSupport> {
    const [client, bucket, as] = [this.#client, this.#bucket, { contentType: 'text/plain' }]
    const put = { Bucket: bucket, Key: from, Body: Buffer.from(from), ContentType: as.contentType }
    const { ETag } = await client.send(new PutObjectCommand(put))
    const copied = await copyOnce({ client, bucket, from, to, etag: '"00000000000000000000000000000000"', as })
    if (copied.outcome === 'changed') return 'kept'
    if (copied.outcome !== 'copied') throw new Error('The object store lost an object that was just stored.')
    return isSameTag(copied.etag, ETag ?? (await getEtag(client, bucket, from, undefined))) ? 'compared' : 'unknowable'
  }
}
