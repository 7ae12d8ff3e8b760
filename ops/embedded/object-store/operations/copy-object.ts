import { type Exchange, respondXml } from '../exchange.ts'
import { checkCopy, checkWrite } from '../protocol/conditions.ts'
import { readSource } from '../protocol/copy-source.ts'
import { S3Error } from '../protocol/errors.ts'
import * as objects from '../storage/objects.ts'
import { checkBucket } from './buckets.ts'
import { checksumElement, readStored } from './stored-headers.ts'

/**
 * Copies an object. The copy references the same blobs, so it needs no time or space, regardless of its size. The copy
 * keeps the entity tag and checksum of its source.
 */
export async function copyObject(exchange: Exchange): Promise<void> {
  const { call, store } = exchange
  const from = readSource(call.headers.get('x-amz-copy-source') ?? '')
  checkBucket(exchange, from.bucket)
  const replaces = readDirective(call.headers.get('x-amz-metadata-directive'))
  if (from.bucket === call.bucket && from.key === call.key && !replaces)
    throw new S3Error('InvalidRequest', 'A copy of an object to itself must change its metadata.')
  const headers = readStored(call)
  const object = await objects.put(store, call, (current) => {
    checkWrite(call.headers, current)
    const source = objects.find(store, from)
    if (!source) throw new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key: from.key } })
    checkCopy(call.headers, source)
    const { size, etag, checksum } = source
    checkAlgorithm(call.headers.get('x-amz-checksum-algorithm'), checksum?.algorithm)
    return {
      object: { size, etag, modified: Date.now(), headers: replaces ? headers : source.headers, checksum },
      segments: objects.segments(store, source.id, 0, Number.MAX_SAFE_INTEGER),
    }
  })
  await respondXml(exchange, 'CopyObjectResult', {
    LastModified: new Date(object.modified).toISOString(),
    ETag: `"${object.etag}"`,
    ...checksumElement(object.checksum?.algorithm, object.checksum?.value),
  })
}

function readDirective(directive = 'COPY'): boolean {
  if (directive === 'COPY') return false
  if (directive === 'REPLACE') return true
  throw new S3Error('InvalidArgument', `Unknown metadata directive: ${directive}`)
}

function checkAlgorithm(wanted: string | undefined, present: string | undefined): void {
  if (wanted !== undefined && wanted.toLowerCase() !== present)
    throw new S3Error('NotImplemented', 'Computing a different checksum while copying is not implemented.')
}
