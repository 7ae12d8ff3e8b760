import { CopyObjectCommand, HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { abortable, isMissing, type PutOptions } from './multipart.ts'

export interface CopyRequest {
  client: S3Client
  bucket: string
  from: string
  to: string
  etag?: string | undefined
  as: Pick<PutOptions, 'contentType' | 'cacheControl'>
  signal?: AbortSignal | undefined
}

/**
 * The result of a copy. Either the object was copied and has this entity tag, or the source has changed or is missing.
 */
export type CopyResult = { outcome: 'copied'; etag: string | undefined } | { outcome: 'changed' | 'missing' }

/** Returns the header that names the source of a copy. */
export const copySource = (bucket: string, key: string): string =>
  [bucket, ...key.split('/')].map(encodeURIComponent).join('/')

export async function copyOnce({ client, bucket, from, to, etag, as, signal }: CopyRequest): Promise<CopyResult> {
  const command = new CopyObjectCommand({
    Bucket: bucket,
    Key: to,
    CopySource: copySource(bucket, from),
    CopySourceIfMatch: etag,
    MetadataDirective: 'REPLACE',
    ContentType: as.contentType,
    CacheControl: as.cacheControl,
  })
  try {
    const { CopyObjectResult } = await client.send(command, abortable(signal))
    return { outcome: 'copied', etag: CopyObjectResult?.ETag || (await getEtag(client, bucket, to, signal)) }
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return { outcome: 'changed' }
    if (isMissing(error)) return { outcome: 'missing' }
    throw error
  }
}

export async function getEtag(
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

/** True if two entity tags are equal. Some stores omit the quotes. */
export const isSameTag = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.replaceAll('"', '') === other.replaceAll('"', '')
