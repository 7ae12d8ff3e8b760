import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3'

export interface ObjectHead {
  bytes: number
  etag: string
  /** Content codings that a reader would decode. Null if there are none. */
  encoding: string | null
  hasMetadata: boolean
}

export function readHead(head: HeadObjectCommandOutput): ObjectHead {
  const { ContentEncoding, ContentDisposition, ContentLanguage, CacheControl, ExpiresString } = head
  const fields = [ContentEncoding, ContentDisposition, ContentLanguage, CacheControl, ExpiresString]
  const others = [head.WebsiteRedirectLocation, ...Object.keys(head.Metadata ?? {})]
  return {
    bytes: head.ContentLength ?? 0,
    etag: head.ETag ?? '',
    encoding: codings(ContentEncoding),
    hasMetadata: [...fields, ...others].some((field) => field !== undefined),
  }
}

/**
 * Returns the content codings without `aws-chunked`, which SDKs use for streams. Stores decode it, but some still store
 * the name.
 */
function codings(header = ''): string | null {
  const named = header.split(',').map((coding) => coding.trim().toLowerCase())
  return named.filter((coding) => !['', 'aws-chunked', 'identity'].includes(coding)).join(', ') || null
}
