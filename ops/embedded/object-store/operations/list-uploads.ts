import { type Exchange, respondXml } from '../exchange.ts'
import { readNumber } from '../protocol/call.ts'
import { S3Error } from '../protocol/errors.ts'
import * as uploads from '../storage/uploads.ts'
import { textWriter } from './list-objects.ts'
import { checksumElement } from './stored-headers.ts'

export async function listParts(exchange: Exchange): Promise<void> {
  const { call, store } = exchange
  const { query } = call
  const id = query.get('uploadId') ?? ''
  const text = textWriter(query.get('encoding-type'))
  const limit = Math.min(readNumber('max-parts', query.get('max-parts') ?? '1000', 0, 2 ** 31 - 1), 1000)
  const after = readNumber('part-number-marker', query.get('part-number-marker') || '0', 0, 2 ** 31 - 1)
  const { algorithm } = uploads.findOpen(store, call, id)
  const found = uploads.parts(store, id, after, limit + 1)
  const page = found.slice(0, limit)
  const isTruncated = limit > 0 && found.length > limit
  await respondXml(exchange, 'ListPartsResult', {
    Bucket: call.bucket,
    Key: text(call.key),
    UploadId: id,
    StorageClass: 'STANDARD',
    PartNumberMarker: after,
    // The SDK’s paginator continues while there is a marker.
    NextPartNumberMarker: isTruncated ? page.at(-1)?.number : undefined,
    MaxParts: limit,
    IsTruncated: isTruncated,
    ChecksumAlgorithm: algorithm?.toUpperCase(),
    ChecksumType: algorithm && 'COMPOSITE',
    Part: page.map((part) => ({
      PartNumber: part.number,
      LastModified: new Date(part.modified).toISOString(),
      ETag: `"${part.etag}"`,
      Size: part.size,
      ...checksumElement(algorithm, part.checksum),
    })),
  })
}

export async function listUploads(exchange: Exchange): Promise<void> {
  const { call, store } = exchange
  const { query, bucket } = call
  if (query.get('delimiter')) throw new S3Error('NotImplemented', 'A delimiter is not supported for uploads.')
  const text = textWriter(query.get('encoding-type'))
  const prefix = query.get('prefix') ?? ''
  const limit = Math.min(readNumber('max-uploads', query.get('max-uploads') ?? '1000', 1, 2 ** 31 - 1), 1000)
  const key = query.get('key-marker') ?? ''
  const id = query.get('upload-id-marker')
  const found = uploads.listOpen(store, bucket, prefix, { key, id }, limit + 1)
  const page = found.slice(0, limit)
  const isTruncated = found.length > limit
  const last = page.at(-1)
  await respondXml(exchange, 'ListMultipartUploadsResult', {
    Bucket: bucket,
    KeyMarker: text(key),
    UploadIdMarker: id ?? '',
    Prefix: text(prefix),
    NextKeyMarker: isTruncated ? text(last?.key ?? '') : undefined,
    NextUploadIdMarker: isTruncated ? last?.id : undefined,
    EncodingType: query.get('encoding-type'),
    MaxUploads: limit,
    IsTruncated: isTruncated,
    Upload: page.map((upload) => ({
      Key: text(upload.key),
      UploadId: upload.id,
      StorageClass: 'STANDARD',
      Initiated: new Date(upload.created).toISOString(),
      ChecksumAlgorithm: upload.algorithm?.toUpperCase(),
    })),
  })
}
