import type { Exchange } from './exchange.ts'
import {
  checkBucket,
  createBucket,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listBuckets,
} from './operations/buckets.ts'
import { completeUpload } from './operations/complete-upload.ts'
import { copyObject } from './operations/copy-object.ts'
import { copyPart } from './operations/copy-part.ts'
import { deleteObject, deleteObjects } from './operations/delete-objects.ts'
import { getObject } from './operations/get-object.ts'
import { deleteLifecycle, getLifecycle, putLifecycle } from './operations/lifecycle.ts'
import { listObjects } from './operations/list-objects.ts'
import { listParts, listUploads } from './operations/list-uploads.ts'
import { abortUpload, createUpload, uploadPart } from './operations/multipart.ts'
import { putObject } from './operations/put-object.ts'
import { deleteTagging, getTagging, putTagging } from './operations/tagging.ts'
import type { Call } from './protocol/call.ts'
import { S3Error } from './protocol/errors.ts'

type Operation = (exchange: Exchange) => Promise<void>

const operations = new Map<string, Operation>([
  ['GET /', listBuckets],
  ['HEAD /bucket', headBucket],
  ['PUT /bucket', createBucket],
  ['GET /bucket', listObjects],
  ['GET /bucket?location', getBucketLocation],
  ['GET /bucket?versioning', getBucketVersioning],
  ['GET /bucket?uploads', listUploads],
  ['GET /bucket?lifecycle', getLifecycle],
  ['PUT /bucket?lifecycle', putLifecycle],
  ['DELETE /bucket?lifecycle', deleteLifecycle],
  ['POST /bucket?delete', deleteObjects],
  ['GET /bucket/key', getObject],
  ['GET /bucket/key?partNumber', getObject],
  ['HEAD /bucket/key', getObject],
  ['HEAD /bucket/key?partNumber', getObject],
  ['PUT /bucket/key', putObject],
  ['PUT /bucket/key from x-amz-copy-source', copyObject],
  ['DELETE /bucket/key', deleteObject],
  ['GET /bucket/key?tagging', getTagging],
  ['PUT /bucket/key?tagging', putTagging],
  ['DELETE /bucket/key?tagging', deleteTagging],
  ['POST /bucket/key?uploads', createUpload],
  ['PUT /bucket/key?partNumber&uploadId', uploadPart],
  ['PUT /bucket/key?partNumber&uploadId from x-amz-copy-source', copyPart],
  ['GET /bucket/key?uploadId', listParts],
  ['POST /bucket/key?uploadId', completeUpload],
  ['DELETE /bucket/key?uploadId', abortUpload],
])

const subresources = new Set(
  `accelerate acl analytics append attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle
  location logging metadataConfiguration metadataTable metrics notification object-lock ownershipControls partNumber
  policy policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session tagging
  torrent uploadId uploads versionId versioning versions website`.split(/\s+/),
)

/** Headers for unsupported features, which must not be ignored. */
const unsupported =
  /^x-amz-(?:server-side-encryption|copy-source-server-side-encryption|grant-|object-lock-|tagging|website-redirect|write-offset)/

export async function operate(exchange: Exchange): Promise<void> {
  const { call } = exchange
  const name = nameOf(call)
  const operation = operations.get(name)
  if (!operation) throw refusal(call, name)
  const header = [...call.headers.keys()].find((candidate) => unsupported.test(candidate))
  if (header) throw notImplemented(`the header ${header}`)
  if ((call.headers.get('x-amz-acl') ?? 'private') !== 'private') throw notImplemented('an ACL other than private')
  if ((call.headers.get('x-amz-storage-class') ?? 'STANDARD') !== 'STANDARD')
    throw notImplemented('a storage class other than STANDARD')
  if (call.bucket !== '' && operation !== createBucket) checkBucket(exchange, call.bucket)
  await operation(exchange)
}

function nameOf({ method, bucket, key, query, headers }: Call): string {
  const level = bucket === '' ? '/' : key === '' ? '/bucket' : '/bucket/key'
  const asked = [...query.keys()].filter((name) => subresources.has(name)).sort()
  const subresource = asked.length > 0 ? `?${asked.join('&')}` : ''
  const from = method === 'PUT' && headers.has('x-amz-copy-source') ? ' from x-amz-copy-source' : ''
  return `${method} ${level}${subresource}${from}`
}

function refusal({ method }: Call, name: string): S3Error {
  const isOrdinary = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].includes(method)
  if (isOrdinary && (name.includes('?') || name.includes(' from '))) return notImplemented(name)
  return new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: { Method: method },
  })
}

function notImplemented(what: string): S3Error {
  return new S3Error('NotImplemented', `A request implies functionality that is not implemented: ${what}.`)
}
