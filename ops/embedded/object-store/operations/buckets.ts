import { type Exchange, respondEmpty, respondXml } from '../exchange.ts'
import { S3Error } from '../protocol/errors.ts'

export async function listBuckets(exchange: Exchange): Promise<void> {
  const buckets = [...exchange.buckets].map(([name, created]) => ({
    Name: name,
    CreationDate: new Date(created).toISOString(),
  }))
  const owner = { ID: exchange.identity.accessKey, DisplayName: exchange.identity.accessKey }
  await respondXml(exchange, 'ListAllMyBucketsResult', { Owner: owner, Buckets: { Bucket: buckets } })
}

export async function headBucket(exchange: Exchange): Promise<void> {
  await respondEmpty(exchange, 200, { 'x-amz-bucket-region': exchange.identity.region })
}

/** Returns the region of a bucket. For us-east-1, returns no name. */
export async function getBucketLocation(exchange: Exchange): Promise<void> {
  const { region } = exchange.identity
  await respondXml(exchange, 'LocationConstraint', region === 'us-east-1' ? '' : region)
}

/** Returns an empty element, because buckets never have versions. */
export async function getBucketVersioning(exchange: Exchange): Promise<void> {
  await respondXml(exchange, 'VersioningConfiguration', '')
}

/** Confirms an existing bucket. Buckets are configured at the start of the store. */
export async function createBucket(exchange: Exchange): Promise<void> {
  const { bucket } = exchange.call
  if (!exchange.buckets.has(bucket))
    throw new S3Error('AccessDenied', 'Buckets are created when the object store starts.')
  await respondEmpty(exchange, 200, { location: `/${bucket}` })
}

export function checkBucket({ buckets }: Exchange, name: string): void {
  if (!buckets.has(name))
    throw new S3Error('NoSuchBucket', 'The specified bucket does not exist', { details: { BucketName: name } })
}
