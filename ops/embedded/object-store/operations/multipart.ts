import { type Exchange, respondEmpty, respondXml } from '../exchange.ts'
import { Body } from '../protocol/body.ts'
import { readNumber } from '../protocol/call.ts'
import { type Algorithm, multipartType, readAlgorithm } from '../protocol/checksums.ts'
import { S3Error } from '../protocol/errors.ts'
import * as uploads from '../storage/uploads.ts'
import { largestPut } from './put-object.ts'
import { checksumHeaders, readStored } from './stored-headers.ts'

export async function createUpload(exchange: Exchange): Promise<void> {
  const { call, store } = exchange
  const named = call.headers.get('x-amz-checksum-algorithm')
  const algorithm = named === undefined ? undefined : readAlgorithm(named)
  const type = algorithm && multipartType(algorithm)
  checkType(call.headers.get('x-amz-checksum-type') ?? type, algorithm)
  const id = await uploads.create(store, call, readStored(call), algorithm)
  await respondXml(
    exchange,
    'InitiateMultipartUploadResult',
    { Bucket: call.bucket, Key: call.key, UploadId: id },
    algorithm && { 'x-amz-checksum-algorithm': algorithm.toUpperCase(), 'x-amz-checksum-type': type },
  )
}

function checkType(wanted: string | undefined, algorithm: Algorithm | undefined): void {
  const type = algorithm ? multipartType(algorithm) : 'COMPOSITE'
  if (wanted === undefined || wanted === type) return
  if (algorithm && type === 'FULL_OBJECT')
    throw new S3Error('InvalidRequest', `The ${wanted} checksum type cannot be used with ${algorithm}.`)
  throw new S3Error('NotImplemented', 'Only the COMPOSITE checksum is implemented for multipart objects.')
}

export async function uploadPart(exchange: Exchange): Promise<void> {
  const { call, grant, response, store } = exchange
  const number = readNumber('partNumber', call.query.get('partNumber') ?? '', 1, 10_000)
  const id = call.query.get('uploadId') ?? ''
  const { algorithm } = uploads.findOpen(store, call, id)
  const body = new Body(call, grant, response, { limit: largestPut, algorithm })
  const receipt = await store.blobs.write(body.chunks(), async (blob) => {
    const { size, md5, checksum } = body.receipt
    const kept = algorithm && checksum ? checksum.value : null
    await uploads.putPart(store, call, id, { number, size, etag: md5, modified: Date.now(), checksum: kept, blob })
    return body.receipt
  })
  const { 'x-amz-checksum-type': _, ...headers } = checksumHeaders(receipt.checksum)
  await respondEmpty(exchange, 200, { etag: `"${receipt.md5}"`, ...headers })
}

export async function abortUpload(exchange: Exchange): Promise<void> {
  const { call, store } = exchange
  await uploads.abort(store, call, call.query.get('uploadId') ?? '')
  await respondEmpty(exchange, 204)
}
