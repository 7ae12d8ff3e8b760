import { answerEmpty, answerXml, type Exchange } from '../exchange.ts'
import { S3Error } from '../protocol/errors.ts'

/** Lists the buckets that this store was started with. */
export async function listBuckets(exchange: Exchange): Promise<void> {
  const buckets = [...exchange.buckets].map(([name, created]) => ({
    Name: name,
    CreationDate: new Date(created).toISOString(),
  }))
  const owner = { ID: exchange.identity.accessKey, DisplayName: exchange.identity.accessKey }
  await answerXml(exchange, 'ListAllMyBucketsResult', { Owner: owner, Buckets: { Bucket: buckets } })
}

/** Confirms that a bucket is there. */
export async function headBucket(exchange: Exchange): Promise<void> {
  await answerEmpty(exchange, 200, { 'x-amz-bucket-region': exchange.identity.region })
}

/** Tells the region of a bucket; us-east-1 goes by no name. */
export async function getBucketLocation(exchange: Exchange): Promise<void> {
  const { region } = exchange.identity
  await answerXml(exchange, 'LocationConstraint', region === 'us-east-1' ? '' : region)
}

/** Says of a bucket that it never had versions: nothing at all. */
export async function getBucketVersioning(exchange: Exchange): Promise<void> {
  await answerXml(exchange, 'VersioningConfiguration', '')
}

/** Confirms a bucket that is there; which buckets there are is set where the store is started. */
export async function createBucket(exchange: Exchange): Promise<void> {
  const { bucket } = exchange.call
  if (!exchange.buckets.has(bucket))
    throw new S3Error('AccessDenied', 'Buckets are made where the object store is started.')
  await answerEmpty(exchange, 200, { location: `/${bucket}` })
}

/** Throws NoSuchBucket for a bucket that is not there. */
export function checkBucket({ buckets }: Exchange, name: string): void {
  if (!buckets.has(name))
    throw new S3Error('NoSuchBucket', 'The specified bucket does not exist', { details: { BucketName: name } })
}
