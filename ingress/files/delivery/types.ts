/** Types that browsers display without running code of the file. Their responses need no sandbox. */
const safeTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'audio/x-wav',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/x-icon',
  'video/mp4',
  'video/ogg',
  'video/quicktime',
  'video/webm',
])

/** Types that browsers display only in a sandbox. */
const displayedTypes: ReadonlySet<string> = new Set(['image/svg+xml', 'text/plain', 'text/csv', 'application/json'])

/** Types that a page of the same host could load as code. Responses have the type `application/octet-stream`. */
const code = /script|wasm|^text\/css$|flash|xslt/i

export interface ServedType {
  /** Value of the `Content-Type` header. */
  type: string
  isSafe: boolean
  /** True if browsers display the file by default. */
  isInline: boolean
}

/** Returns how a file is served. The type is the detected type, or the declared type if none was detected. */
export function getServedType({
  sniffed_type,
  content_type,
}: {
  sniffed_type: string | null
  content_type: string
}): ServedType {
  const type = (sniffed_type ?? content_type).split(';', 1)[0]?.trim().toLowerCase() || 'application/octet-stream'
  if (code.test(type)) return { type: 'application/octet-stream', isSafe: false, isInline: false }
  const isSafe = safeTypes.has(type)
  const isText = type.startsWith('text/') || type === 'application/json'
  return { type: isText ? `${type}; charset=utf-8` : type, isSafe, isInline: isSafe || displayedTypes.has(type) }
}
