import { S3Error } from './errors.ts'
import type { Range } from './range.ts'
import { decode } from './uri.ts'

export function readSource(header: string): { bucket: string; key: string } {
  const [path = '', version] = header.split('?versionId=')
  if (version !== undefined && version !== 'null') throw new S3Error('NotImplemented', 'Versions are not supported.')
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decode(path)) ?? []
  if (!bucket || !key)
    throw new S3Error('InvalidArgument', 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey')
  return { bucket, key }
}

/** Parses `x-amz-copy-source-range`. The range must have a first and a last byte within the source. */
export function readSourceRange(header: string | undefined, size: number): Range {
  if (header === undefined) return { start: 0, end: size }
  const [, first = '', last = ''] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header) ?? []
  const [start, end] = [Number(first), Number(last) + 1]
  if (first === '' || start >= end)
    throw new S3Error('InvalidArgument', 'The x-amz-copy-source-range value must be of the form bytes=first-last.', {
      details: { ArgumentName: 'x-amz-copy-source-range', ArgumentValue: header },
    })
  if (end > size)
    throw new S3Error('InvalidArgument', `Range specified is not valid for source object of size: ${size}`, {
      details: { ArgumentName: 'x-amz-copy-source-range', ArgumentValue: header },
    })
  return { start, end }
}
