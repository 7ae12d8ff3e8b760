import { CopyObjectCommand, HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { abortable, isMissing, type PutOptions } from './multipart.ts'

/** What is copied within a bucket, and as what. */
export interface Copying {
  client: S3Client
  bucket: string
  from: string
  to: string
  /** Only the object with this entity tag, where the store keeps that. */
  etag?: string | undefined
  as: Pick<PutOptions, 'contentType' | 'cacheControl'>
  signal?: AbortSignal | undefined
}

/** How asking for a copy ended: a copy was made, and its entity tag; or its source is another, or is not there. */
export type Copied = { outcome: 'copied'; etag: string | undefined } | { outcome: 'changed' | 'missing' }

/** Asks the store for one copy, and looks the copy's entity tag up where the answer lacks it. */
export async function copyOnce({ client, bucket, from, to, etag, as, signal }: Copying): Promise<Copied> {
  const command = new CopyObjectCommand({
    Bucket: bucket,
    Key: to,
    CopySource: [bucket, ...from.split('/')].map(encodeURIComponent).join('/'),
    CopySourceIfMatch: etag,
    MetadataDirective: 'REPLACE',
    ContentType: as.contentType,
    CacheControl: as.cacheControl,
  })
  try {
    const { CopyObjectResult } = await client.send(command, abortable(signal))
    return { outcome: 'copied', etag: CopyObjectResult?.ETag || (await etagOf(client, bucket, to, signal)) }
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return { outcome: 'changed' }
    if (isMissing(error)) return { outcome: 'missing' }
    throw error
  }
}

/** The entity tag of an object; undefined when there is none. */
export async function etagOf(
  client: S3Client,
  bucket: string,
  key: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return (await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), abortable(signal))).ETag
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Whether two entity tags are one; some stores leave the quotes out, in places. */
export const isSameTag = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.replaceAll('"', '') === other.replaceAll('"', '')
