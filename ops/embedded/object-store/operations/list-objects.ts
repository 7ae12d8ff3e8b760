import { type Exchange, respondXml } from '../exchange.ts'
import { readNumber } from '../protocol/call.ts'
import { S3Error } from '../protocol/errors.ts'
import { encodePath } from '../protocol/uri.ts'
import * as listing from '../storage/listing.ts'

/** Lists the objects of a bucket. Uses version 2 of the operation, or version 1 if `list-type` is not 2. */
export async function listObjects(exchange: Exchange): Promise<void> {
  const { call, store } = exchange
  const { query, bucket } = call
  const isV2 = query.get('list-type') === '2'
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const limit = Math.min(readNumber('max-keys', query.get('max-keys') ?? '1000', 0, 2 ** 31 - 1), 1000)
  const text = textWriter(query.get('encoding-type'))
  const from = isV2 ? startOfV2(query) : startOfV1(query.get('marker') ?? '', delimiter)
  const page = listing.list(store, { bucket, prefix, delimiter, from, limit })
  await respondXml(exchange, 'ListBucketResult', {
    Name: bucket,
    Prefix: text(prefix),
    ...(isV2 ? fieldsOfV2(query, page, text) : fieldsOfV1(query, page, text)),
    MaxKeys: limit,
    ...(delimiter === '' ? {} : { Delimiter: text(delimiter) }),
    EncodingType: query.get('encoding-type'),
    IsTruncated: page.next !== undefined,
    Contents: page.objects.map((object) => ({
      Key: text(object.key),
      LastModified: new Date(object.modified).toISOString(),
      ETag: `"${object.etag}"`,
      ChecksumAlgorithm: object.checksum?.algorithm.toUpperCase(),
      ChecksumType: object.checksum?.type,
      Size: object.size,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: page.prefixes.map((common) => ({ Prefix: text(common) })),
  })
}

export function textWriter(encoding: string | undefined): (text: string) => string {
  if (encoding !== undefined && encoding !== 'url')
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  return encoding === 'url' ? encodePath : (text) => text
}

type Query = ReadonlyMap<string, string>

function startOfV2(query: Query): Buffer {
  const token = query.get('continuation-token')
  if (token !== undefined) {
    const bytes = Buffer.from(token, 'base64url')
    if (token === '' || bytes.toString('base64url') !== token)
      throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect')
    return bytes
  }
  const after = query.get('start-after') ?? ''
  return after === '' ? Buffer.alloc(0) : listing.afterKey(after)
}

function startOfV1(marker: string, delimiter: string): Buffer {
  if (marker === '') return Buffer.alloc(0)
  // If a page ended with a common prefix, the prefix is the marker. The next page starts after all keys below it.
  const isPrefix = delimiter !== '' && marker.endsWith(delimiter)
  return isPrefix ? listing.afterPrefix(marker) : listing.afterKey(marker)
}

function fieldsOfV2(query: Query, page: listing.Page, text: (text: string) => string) {
  const after = query.get('start-after')
  return {
    ContinuationToken: query.get('continuation-token'),
    NextContinuationToken: page.next?.toString('base64url'),
    StartAfter: after && text(after),
    KeyCount: page.objects.length + page.prefixes.length,
  }
}

function fieldsOfV1(query: Query, page: listing.Page, text: (text: string) => string) {
  return {
    Marker: text(query.get('marker') ?? ''),
    NextMarker: page.next && text(page.last),
  }
}
