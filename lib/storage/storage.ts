import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { attachmentHeader } from '../attachment.ts'
import { config, requireVariable } from '../config.ts'
import { ConditionProbe, type CopyConditionSupport } from './conditions.ts'
import { Copier, type CopyOptions } from './copy.ts'
import { deleteMany } from './delete.ts'
import { type ObjectHead, readHead } from './head.ts'
import { abortable, isMissing, Multipart, type PutOptions } from './multipart.ts'
import { ObjectStreams } from './object-streams.ts'
import { Signer } from './signer.ts'

export type { StoredPart } from './multipart.ts'

const singleBytes = 16 * 1024 ** 2

export class Storage {
  readonly bucket: string
  readonly multipart: Multipart
  readonly publicOrigin: string
  readonly streams: ObjectStreams
  readonly #client: S3Client
  readonly #copier: Copier
  readonly #conditions: ConditionProbe
  /** Signs URLs for the public host. A separate signer is needed because the host is part of the signature. */
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
      // With WHEN_SUPPORTED, the library would read the body twice to add a CRC-32 to each request.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 30_000 },
    })
    this.#signer = new Signer(this.#client, options.publicEndpoint, options.bucket)
    this.streams = new ObjectStreams(new Signer(this.#client, options.endpoint, options.bucket))
    this.#conditions = new ConditionProbe(this.#client, options.bucket)
    this.#copier = new Copier(this.#client, options.bucket, this.#conditions)
    this.multipart = new Multipart(this.#client, this.#signer, options.bucket)
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.bucket }), { abortSignal: signal })
  }

  /**
   * Returns how the store handles the condition of a copy. Tests this with two small temporary objects, at most once
   * per hour. Rejects if the store is unavailable.
   */
  async conditions(): Promise<CopyConditionSupport> {
    return await this.#conditions.ask()
  }

  async upload(path: string, key: string, options: PutOptions): Promise<void> {
    const { size } = await stat(path)
    await using file = await open(path)
    if (size <= singleBytes) return await this.put(key, await file.readFile(), options)
    await this.multipart.send(file, size, key, options)
  }

  async put(key: string, body: Uint8Array, options: PutOptions): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: body,
      ContentType: options.contentType,
      CacheControl: options.cacheControl,
    })
    await this.#client.send(command, abortable(options.signal))
  }

  /** Downloads an object to a local file. After an error, the file does not exist. */
  async download(key: string, path: string, signal?: AbortSignal): Promise<void> {
    await this.downloadWith(key, path, signal)
  }

  async downloadWith(key: string, path: string, signal?: AbortSignal): Promise<Omit<PutOptions, 'signal'>> {
    await mkdir(dirname(path), { recursive: true })
    const partial = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.part`
    try {
      const { Body, ContentType, CacheControl } = await this.#client.send(
        new GetObjectCommand(this.#at(key)),
        abortable(signal),
      )
      await pipeline(Body as Readable, createWriteStream(partial), { signal })
      await rename(partial, path)
      return {
        contentType: ContentType ?? 'application/octet-stream',
        ...(CacheControl !== undefined && { cacheControl: CacheControl }),
      }
    } finally {
      await rm(partial, { force: true })
    }
  }

  async readWhole(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    const { Body } = await this.#client.send(new GetObjectCommand(this.#at(key)), abortable(signal))
    return (await Body?.transformToByteArray()) ?? new Uint8Array()
  }

  async read(key: string, signal?: AbortSignal, range?: { from: number; to?: number }): Promise<Readable | null> {
    const of = range && { Range: `bytes=${range.from}-${range.to ?? ''}` }
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#at(key), ...of }), abortable(signal))
      return Body as Readable
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async size(key: string): Promise<number | null> {
    return (await this.head(key))?.bytes ?? null
  }

  async head(key: string): Promise<ObjectHead | null> {
    try {
      return readHead(await this.#client.send(new HeadObjectCommand(this.#at(key))))
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  /** Copies an object within the store. Above 5 GiB, `bytes` is required. Returns false if it does not exist or has changed. */
  async copy(from: string, to: string, options: CopyOptions): Promise<boolean> {
    return await this.#copier.copy(from, to, options)
  }

  async remove(key: string, signal?: AbortSignal): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key)), abortable(signal))
  }

  /** Returns the keys of up to 1,000 objects whose key starts with `prefix`. */
  async keys(prefix: string, signal?: AbortSignal): Promise<string[]> {
    const listed = await this.#client.send(
      new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, MaxKeys: 1000 }),
      abortable(signal),
    )
    return (listed.Contents ?? []).flatMap(({ Key }) => Key ?? [])
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ key: string; bytes: number; etag: string }> {
    let token: string | undefined
    do {
      const listed = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, ContinuationToken: token }),
        abortable(signal),
      )
      for (const { Key, Size = 0, ETag = '' } of listed.Contents ?? [])
        if (Key) yield { key: Key, bytes: Size, etag: ETag }
      token = listed.NextContinuationToken
    } while (token)
  }

  async deleteAll(prefix: string, signal?: AbortSignal): Promise<number> {
    return (await this.clear(prefix, signal)).objects
  }

  async clear(prefix: string, signal?: AbortSignal): Promise<{ objects: number; bytes: number }> {
    for (let [objects, bytes] = [0, 0]; ; ) {
      const listed = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, MaxKeys: 1000 }),
        abortable(signal),
      )
      const found = listed.Contents ?? []
      if (found.length === 0) return { objects, bytes }
      const keys = found.map(({ Key = '' }) => Key)
      await deleteMany(this.#client, this.bucket, keys, signal)
      objects += found.length
      bytes += found.reduce((sum, { Size = 0 }) => sum + Size, 0)
    }
  }

  async signGet(key: string, seconds: number, from?: Date): Promise<string> {
    return await this.#signer.url({ method: 'GET', key, seconds, ...(from && { from }) })
  }

  /**
   * Returns a URL to download an object with this file name and type. The URL is valid for `seconds`. Browsers always
   * download the file instead of displaying it.
   */
  async signSave(key: string, seconds: number, as: { filename: string; type: string }): Promise<string> {
    const query = {
      'response-content-disposition': attachmentHeader(as.filename),
      'response-content-type': as.type,
    }
    return await this.#signer.url({ method: 'GET', key, seconds, query })
  }

  async signPut(key: string, seconds: number, headers: Record<string, string>): Promise<string> {
    return await this.#signer.url({ method: 'PUT', key, seconds, headers })
  }

  #at(key: string) {
    return { Bucket: this.bucket, Key: key }
  }
}

export function openStorage(): Storage {
  const endpoint = requireVariable('S3_ENDPOINT')
  return new Storage({
    endpoint,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT ?? endpoint,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKey: requireVariable('S3_ACCESS_KEY'),
    secretKey: requireVariable('S3_SECRET_KEY'),
  })
}
