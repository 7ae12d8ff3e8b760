import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { config, required } from './config.ts'
import { abortable, isMissing, Multipart, type PutOptions } from './storage-multipart.ts'
import { Signer } from './storage-signer.ts'

/** Up to this size an object is put in one request, from memory; above, in parts. */
const singleBytes = 16 * 1024 ** 2

/** The one way to object storage: S3, the embedded store or any other. */
export class Storage {
  readonly bucket: string
  readonly multipart: Multipart
  /** Scheme, host and port at which clients reach the store. */
  readonly publicOrigin: string
  readonly #client: S3Client
  /** Signs for the address clients reach the store at, as the host is part of what is signed. */
  readonly #signer: Signer

  constructor(options: {
    endpoint: string
    publicEndpoint: string
    region: string
    bucket: string
    accessKey: string
    secretKey: string
  }) {
    this.bucket = options.bucket
    this.publicOrigin = new URL(options.publicEndpoint).origin
    this.#client = new S3Client({
      endpoint: options.endpoint,
      region: options.region,
      forcePathStyle: true,
      credentials: { accessKeyId: options.accessKey, secretAccessKey: options.secretKey },
      // WHEN_SUPPORTED would add a CRC-32 to each request, computed over the body a second time.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 30_000 },
    })
    this.#signer = new Signer(this.#client, options.publicEndpoint, options.bucket)
    this.multipart = new Multipart(this.#client, this.#signer, options.bucket)
  }

  /** Rejects when the store or the bucket cannot be reached. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.bucket }), { abortSignal: signal })
  }

  /** Stores a local file under a key. */
  async upload(path: string, key: string, options: PutOptions): Promise<void> {
    const { size } = await stat(path)
    await using file = await open(path)
    if (size <= singleBytes) return await this.put(key, await file.readFile(), options)
    await this.multipart.send(file, size, key, options)
  }

  /** Stores bytes under a key. */
  async put(key: string, body: Uint8Array, options: PutOptions): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: body,
      ContentType: options.contentType,
      CacheControl: options.cacheControl,
    })
    await this.#client.send(command, abortable(options.signal))
  }

  /** Copies an object within the store; false when there is nothing to copy. */
  async copy(from: string, to: string, options: PutOptions): Promise<boolean> {
    const command = new CopyObjectCommand({
      ...this.#at(to),
      CopySource: encodeURI(`${this.bucket}/${from}`),
      MetadataDirective: 'REPLACE',
      ContentType: options.contentType,
      CacheControl: options.cacheControl,
    })
    try {
      await this.#client.send(command, abortable(options.signal))
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  /** Fetches an object into a local file; the file is there whole or not at all. */
  async download(key: string, path: string, signal?: AbortSignal): Promise<void> {
    await mkdir(dirname(path), { recursive: true })
    const partial = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.part`
    try {
      const { Body } = await this.#client.send(new GetObjectCommand(this.#at(key)), abortable(signal))
      await pipeline(Body as Readable, createWriteStream(partial), { signal })
      await rename(partial, path)
    } finally {
      await rm(partial, { force: true })
    }
  }

  /** The bytes of a small object. */
  async read(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    const { Body } = await this.#client.send(new GetObjectCommand(this.#at(key)), abortable(signal))
    return (await Body?.transformToByteArray()) ?? new Uint8Array()
  }

  /** Size of an object in bytes, null when there is none. */
  async size(key: string): Promise<number | null> {
    try {
      const { ContentLength } = await this.#client.send(new HeadObjectCommand(this.#at(key)))
      return ContentLength ?? null
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  /** Deletes every object whose key starts with `prefix`; returns how many there were. */
  async deleteAll(prefix: string, signal?: AbortSignal): Promise<number> {
    for (let deleted = 0; ; ) {
      const listed = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, MaxKeys: 1000 }),
        abortable(signal),
      )
      const objects = (listed.Contents ?? []).map(({ Key }) => ({ Key }))
      if (objects.length === 0) return deleted
      await this.#client.send(
        new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects: objects, Quiet: true } }),
        abortable(signal),
      )
      deleted += objects.length
    }
  }

  /** A URL from which an object may be read for `seconds`. */
  async signGet(key: string, seconds: number, from?: Date): Promise<string> {
    return await this.#signer.url({ method: 'GET', key, seconds, ...(from && { from }) })
  }

  #at(key: string) {
    return { Bucket: this.bucket, Key: key }
  }
}

const networkCodes = /^(ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE)$/

/** Whether an error, or what caused it, says that the store could not be reached or had a fault of its own. */
export function isStorageAway(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    // The client library marks what it throws with this.
    if (!('$metadata' in e)) continue
    const { httpStatusCode: status = 0 } = e.$metadata as { httpStatusCode?: number }
    const cut = 'code' in e && networkCodes.test(String(e.code))
    if (cut || e.name === 'TimeoutError' || status >= 500) return true
  }
  return false
}

/** The storage that the environment names. */
export function openStorage(): Storage {
  const endpoint = required('S3_ENDPOINT')
  return new Storage({
    endpoint,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT ?? endpoint,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKey: required('S3_ACCESS_KEY'),
    secretKey: required('S3_SECRET_KEY'),
  })
}
