import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3ServiceException,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { forEachConcurrently } from '../concurrency.ts'
import { type CopyRequest, type CopyResult, copySource } from './copy-once.ts'
import { abortable, isMissing } from './multipart.ts'

/** Maximum size in bytes of an object that S3 copies with one request. */
export const largestCopy = 5 * 1024 ** 3

const partBytes = 512 * 1024 ** 2

const partsAtOnce = 3

/** Copies an object in parts. If this fails, deletes all parts. */
export async function copyInParts({
  client,
  bucket,
  from,
  to,
  etag,
  as,
  signal,
  bytes,
}: CopyRequest & { bytes: number }): Promise<CopyResult> {
  const at = { Bucket: bucket, Key: to }
  const created = { ...at, ContentType: as.contentType, CacheControl: as.cacheControl }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(created), abortable(signal))
  const upload = { ...at, UploadId }
  const parts: { PartNumber: number; ETag: string | undefined }[] = []
  const copy = async (PartNumber: number, ends: AbortSignal) => {
    const start = (PartNumber - 1) * partBytes
    const command = new UploadPartCopyCommand({
      ...upload,
      PartNumber,
      CopySource: copySource(bucket, from),
      CopySourceIfMatch: etag,
      CopySourceRange: `bytes=${start}-${Math.min(start + partBytes, bytes) - 1}`,
    })
    const { CopyPartResult } = await client.send(command, abortable(ends))
    parts.push({ PartNumber, ETag: CopyPartResult?.ETag })
  }
  try {
    const numbers = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, i) => i + 1)
    await forEachConcurrently(numbers, partsAtOnce, copy, signal)
    const Parts = parts.toSorted((a, b) => a.PartNumber - b.PartNumber)
    const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
    return { outcome: 'copied', etag: (await client.send(command, abortable(signal))).ETag }
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {})
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return { outcome: 'changed' }
    if (isMissing(error)) return { outcome: 'missing' }
    throw error
  }
}
