import type { FileHandle } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { forEachConcurrently } from '../concurrency.ts'
import type { Signer } from './signer.ts'

export interface StoredPart {
  number: number
  bytes: number
  etag: string
}

export interface PutOptions {
  contentType: string
  cacheControl?: string
  signal?: AbortSignal
}

const partBytesLeast = 16 * 1024 ** 2

const partsAtOnce = 3

export class Multipart {
  readonly #client: S3Client
  readonly #signer: Signer
  readonly #bucket: string

  constructor(client: S3Client, signer: Signer, bucket: string) {
    this.#client = client
    this.#signer = signer
    this.#bucket = bucket
  }

  async create(key: string, options: PutOptions): Promise<string> {
    const command = new CreateMultipartUploadCommand({
      ...this.#at(key),
      ContentType: options.contentType,
      CacheControl: options.cacheControl,
    })
    const { UploadId } = await this.#client.send(command, abortable(options.signal))
    if (!UploadId) throw new Error('The object store did not start a multipart upload.')
    return UploadId
  }

  async list(key: string, uploadId: string): Promise<StoredPart[] | null> {
    const parts: StoredPart[] = []
    try {
      for (let marker: string | undefined; ; ) {
        const command = new ListPartsCommand({ ...this.#at(key), UploadId: uploadId, PartNumberMarker: marker })
        const page = await this.#client.send(command)
        for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? []) {
          parts.push({ number: PartNumber, bytes: Size, etag: ETag })
        }
        if (!page.IsTruncated) return parts
        marker = page.NextPartNumberMarker
      }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async complete(key: string, uploadId: string, parts: StoredPart[]): Promise<void> {
    const Parts = parts
      .toSorted((a, b) => a.number - b.number)
      .map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
    await this.#client.send(
      new CompleteMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId, MultipartUpload: { Parts } }),
    )
  }

  async abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.#client.send(new AbortMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId }))
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }

  async sign(key: string, uploadId: string, part: Omit<StoredPart, 'etag'>, seconds: number): Promise<string> {
    const query = { partNumber: String(part.number), uploadId, 'x-id': 'UploadPart' }
    const headers = { 'content-length': String(part.bytes) }
    return await this.#signer.url({ method: 'PUT', key, query, headers, seconds })
  }

  async put(key: string, uploadId: string, number: number, body: Uint8Array, signal?: AbortSignal): Promise<void> {
    const command = new UploadPartCommand({ ...this.#at(key), UploadId: uploadId, PartNumber: number, Body: body })
    await this.#client.send(command, abortable(signal))
  }

  /** Stores an open file of `size` bytes. Sends several parts at the same time. If this fails, deletes all parts. */
  async send(file: FileHandle, size: number, key: string, options: PutOptions): Promise<void> {
    const uploadId = await this.create(key, options)
    try {
      const partBytes = Math.max(partBytesLeast, Math.ceil(size / 10_000))
      const numbers = Array.from({ length: Math.ceil(size / partBytes) }, (_, i) => i + 1)
      const parts: StoredPart[] = []
      const send = async (number: number, signal: AbortSignal) => {
        const position = (number - 1) * partBytes
        const body = Buffer.allocUnsafe(Math.min(partBytes, size - position))
        const { bytesRead } = await file.read(body, 0, body.length, position)
        if (bytesRead < body.length) throw new Error(`The file ends after ${position + bytesRead} of ${size} bytes.`)
        const command = new UploadPartCommand({ ...this.#at(key), UploadId: uploadId, PartNumber: number, Body: body })
        const { ETag } = await this.#client.send(command, abortable(signal))
        parts.push({ number, bytes: body.length, etag: ETag ?? '' })
      }
      await forEachConcurrently(numbers, partsAtOnce, send, options.signal)
      await this.complete(key, uploadId, parts)
    } catch (error) {
      await this.abort(key, uploadId).catch(() => {})
      throw error
    }
  }

  #at(key: string) {
    return { Bucket: this.#bucket, Key: key }
  }
}

export const abortable = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {})

export const isMissing = (error: unknown) =>
  error instanceof S3ServiceException &&
  (error.name === 'NoSuchUpload' || error.name === 'NoSuchKey' || error.name === 'NotFound')
