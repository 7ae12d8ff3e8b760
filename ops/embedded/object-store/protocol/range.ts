import { S3Error } from './errors.ts'

/** A run of bytes, the end not included. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Reads a Range header as RFC 9110, 14.1.2 does. One that is malformed or asks for several ranges is ignored, as S3
 * ignores it; one that lies outside of the object throws InvalidRange.
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
