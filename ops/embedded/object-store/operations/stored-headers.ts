import type { Call } from '../protocol/call.ts'
import type { Algorithm, Checksum } from '../protocol/checksums.ts'
import { S3Error } from '../protocol/errors.ts'

const kept = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires']

export function readStored({ headers }: Call): Record<string, string> {
  const stored: Record<string, string> = { 'content-type': 'binary/octet-stream' }
  let size = 0
  for (const [name, value] of headers) {
    const isMeta = name.startsWith('x-amz-meta-')
    if (isMeta) size += name.length - 'x-amz-meta-'.length + value.length
    if ((isMeta || kept.includes(name)) && value !== '') stored[name] = value
  }
  if (size > 2048)
    throw new S3Error('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size of 2 KB.')
  return withoutFraming(stored)
}

export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (!checksum) return {}
  return { [`x-amz-checksum-${checksum.algorithm}`]: checksum.value, 'x-amz-checksum-type': checksum.type }
}

export function checksumElement(algorithm: Algorithm | undefined, value: string | null | undefined) {
  return algorithm && value ? { [`Checksum${algorithm.toUpperCase()}`]: value } : {}
}

/** "Amazon S3 stores the resulting object without the aws-chunked encoding." */
function withoutFraming({ 'content-encoding': encoding, ...others }: Record<string, string>): Record<string, string> {
  const left = (encoding ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && item !== 'aws-chunked')
  return left.length > 0 ? { ...others, 'content-encoding': left.join(',') } : others
}
