import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3'

/** What a HEAD request returns of an object. */
export interface ObjectHead {
  bytes: number
  /** Its entity tag. */
  etag: string
  /** Its content codings, which a reader would decode; null when it has none. */
  encoding: string | null
  /** Whether anything but its type is stored with it. */
  hasMetadata: boolean
}

/** Reads the answer to a HEAD. */
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

/** SDKs stream with `aws-chunked`: stores decode it, but some still store the name. */
function codings(header = ''): string | null {
  const named = header.split(',').map((coding) => coding.trim().toLowerCase())
  return named.filter((coding) => !['', 'aws-chunked', 'identity'].includes(coding)).join(', ') || null
}
