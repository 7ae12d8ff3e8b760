import { randomUUID } from 'node:crypto'
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { copyOnce, etagOf, isSameTag } from './copy-once.ts'

/**
 * What a store makes of the condition of a copy (`x-amz-copy-source-if-match`): it refuses a copy whose condition does not hold
 * (`kept`), ignores it but gives the copy its source's entity tag, by which it is known what was copied (`compared`), or ignores
 * it and lets nobody tell (`unknowable`).
 */
export type Conditions = 'kept' | 'compared' | 'unknowable'

/** Where the rules of the bucket see to what a process leaves that dies in between. */
const prefix = 'incoming/probe-'

/** Milliseconds for which an answer holds: a store may be exchanged, or set up anew, behind its address. */
const heldMs = 3_600_000

/** Finds out, once an hour at most, by asking the store for a copy that it must refuse. */
export class ConditionProbe {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #ms: number
  #found: Promise<Conditions> | undefined
  #askedAt = 0

  constructor(client: S3Client, bucket: string, ms = heldMs) {
    this.#client = client
    this.#bucket = bucket
    this.#ms = ms
  }

  /** What the store does; rejects where it cannot be asked, and asks anew then when it is called again. */
  async ask(): Promise<Conditions> {
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

  async #probe(): Promise<Conditions> {
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
      // It may have come to be all the same; nobody waits for a store that is away.
      void remove()
      throw error
    }
  }

  async #provoke(from: string, to: string): Promise<Conditions> {
    const [client, bucket, as] = [this.#client, this.#bucket, { contentType: 'text/plain' }]
    const put = { Bucket: bucket, Key: from, Body: Buffer.from(from), ContentType: as.contentType }
    const { ETag } = await client.send(new PutObjectCommand(put))
    const copied = await copyOnce({ client, bucket, from, to, etag: '"00000000000000000000000000000000"', as })
    if (copied.outcome === 'changed') return 'kept'
    if (copied.outcome !== 'copied') throw new Error('The object store lost what had just been put.')
    return isSameTag(copied.etag, ETag ?? (await etagOf(client, bucket, from, undefined))) ? 'compared' : 'unknowable'
  }
}
