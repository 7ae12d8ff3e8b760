/** Returns a `Content-Disposition` header (RFC 6266). The file name is encoded as in RFC 8187. */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`
}

export const attachmentHeader = (filename: string): string => contentDisposition('attachment', filename)
