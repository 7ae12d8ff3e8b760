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

/** Types of text that a scan detects only as `text/plain`. */
const plainTypes: ReadonlySet<string> = new Set(['text/plain', 'text/csv', 'text/markdown', 'application/json'])

/** Types that browsers display only in a sandbox. */
const displayedTypes: ReadonlySet<string> = new Set([...plainTypes, 'image/svg+xml'])

/** Types that a page of the same host could load as code. Responses have the type `application/octet-stream`. */
const code = /script|wasm|^text\/css$|flash|xslt/i

export interface ServedType {
  /** Value of the `Content-Type` header. */
  type: string
  isSafe: boolean
  /** True if browsers display the file by default. */
  isInline: boolean
}

interface KnownTypes {
  sniffed_type: string | null
  content_type: string
}

/** Returns how a file is served. */
export function getServedType(known: KnownTypes): ServedType {
  const type = selectType(known)
  if (code.test(type)) return { type: 'application/octet-stream', isSafe: false, isInline: false }
  const isSafe = safeTypes.has(type)
  const isText = type.startsWith('text/') || type === 'application/json'
  return { type: isText ? `${type}; charset=utf-8` : type, isSafe, isInline: isSafe || displayedTypes.has(type) }
}

/** Returns the detected type. Returns the declared type if none was detected, or if it is a kind of plain text. */
function selectType({ sniffed_type, content_type }: KnownTypes): string {
  const declared = content_type.split(';', 1)[0]?.trim().toLowerCase() || 'application/octet-stream'
  return sniffed_type === null || (sniffed_type === 'text/plain' && plainTypes.has(declared)) ? declared : sniffed_type
}
