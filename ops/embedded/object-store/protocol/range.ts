import { S3Error } from './errors.ts'

export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Parses a Range header (RFC 9110, 14.1.2). As in S3, a malformed header or several ranges are ignored. Throws
 * InvalidRange if the range is outside the object.
 */
export function readRange(header: string | undefined, size: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (start >= end)
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable', {
      details: { RangeRequested: header ?? '', ActualObjectSize: `${size}` },
      headers: { 'content-range': `bytes */${size}` },
    })
  return { start, end }
}
