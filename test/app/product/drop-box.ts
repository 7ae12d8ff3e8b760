import type { FilesBucketsCreateBody, Millrace } from '../../../sdk/node/src/index.ts'

/** What a bike rental does with the bucket of its own to which its garages send reports: it reads only what was scanned. */
export class DropBox {
  readonly #client: Millrace
  readonly #id: string

  private constructor(client: Millrace, id: string) {
    this.#client = client
    this.#id = id
  }

  /** Connects the bucket. Throws unless its credentials work. */
  static async open(client: Millrace, bucket: FilesBucketsCreateBody): Promise<DropBox> {
    const { buckets } = client.files
    const { id } = await buckets.create(bucket)
    const { ok, error } = await buckets.test(id)
    if (!ok) throw new Error(error?.message)
    return new DropBox(client, id)
  }

  /** Has a report scanned where it is. Returns the ID of the scan. */
  async scan(key: string): Promise<string> {
    return (await this.#client.files.bucketScans.request({ bucket_id: this.#id, key })).scan_id
  }

  /** Which reports were scanned, with the verdict and the state of the tag. */
  async reports(): Promise<string[]> {
    const { data } = await this.#client.files.bucketScans.list({ bucket_id: this.#id })
    return data.map(({ key, status, tag }) => `${key}: ${status}, tag ${tag}`)
  }

  async close(): Promise<void> {
    await this.#client.files.buckets.remove(this.#id)
  }
}
