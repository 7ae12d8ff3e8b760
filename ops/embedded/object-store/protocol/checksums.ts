import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { crc32c } from './crc32c.ts'
import { combine, crc64nvme } from './crc64nvme.ts'
import { S3Error } from './errors.ts'

export const algorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const

export type Algorithm = (typeof algorithms)[number]

/** A checksum of S3: base64 over all bytes, or over the parts’ checksums with `-` and their number. */
export interface Checksum {
  readonly algorithm: Algorithm
  readonly value: string
  readonly type: 'FULL_OBJECT' | 'COMPOSITE'
}

export interface Hasher {
  update(data: Buffer): void
  digest(): Buffer
}

export function startChecksum(algorithm: Algorithm): Hasher {
  if (algorithm === 'crc32') return startCrc(crc32)
  if (algorithm === 'crc32c') return startCrc(crc32c)
  if (algorithm === 'crc64nvme') return startCrc64()
  const hash = createHash(algorithm)
  return { update: (data) => void hash.update(data), digest: () => hash.digest() }
}

/** Returns the type of a multipart object’s checksum: CRC-64 over all bytes, the others over the parts’ checksums. */
export function multipartType(algorithm: Algorithm): Checksum['type'] {
  return algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE'
}

export function compose(algorithm: Algorithm, parts: readonly { checksum: string; size: number }[]): Checksum {
  if (multipartType(algorithm) === 'FULL_OBJECT') return { algorithm, value: join(parts), type: 'FULL_OBJECT' }
  const hasher = startChecksum(algorithm)
  hasher.update(Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum, 'base64'))))
  return { algorithm, value: `${hasher.digest().toString('base64')}-${parts.length}`, type: 'COMPOSITE' }
}

export function readAlgorithm(name: string): Algorithm {
  const found = algorithms.find((algorithm) => algorithm === name.toLowerCase())
  if (!found) throw new S3Error('NotImplemented', `The checksum algorithm ${name} is not implemented.`)
  return found
}

export function statedChecksum(
  fields: ReadonlyMap<string, string>,
): { algorithm: Algorithm; value: string } | undefined {
  const [stated, ...others] = [...fields].filter(([name]) => checksumField.test(name))
  if (others.length > 0) throw new S3Error('InvalidRequest', 'Send only one x-amz-checksum- header.')
  return stated && { algorithm: readAlgorithm(stated[0].slice('x-amz-checksum-'.length)), value: stated[1] }
}

/** True if a checksum header is the checksum of an empty body. */
export function isChecksumOfEmptyBody(header: string, value: string): boolean {
  const name = header.slice('x-amz-checksum-'.length)
  const algorithm = checksumField.test(header) && algorithms.find((candidate) => candidate === name)
  return !!algorithm && startChecksum(algorithm).digest().toString('base64') === value
}

const checksumField = /^x-amz-checksum-(?!mode$|type$|algorithm$)/

function join(parts: readonly { checksum: string; size: number }[]): string {
  const read = (checksum: string) => Buffer.from(checksum, 'base64').readBigUInt64BE()
  return bytes64(parts.reduce((whole, { checksum, size }) => combine(whole, read(checksum), size), 0n)).toString(
    'base64',
  )
}

function bytes64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

function startCrc64(): Hasher {
  let value = 0n
  return {
    update: (data) => {
      value = crc64nvme(data, value)
    },
    digest: () => bytes64(value),
  }
}

function startCrc(step: (data: Buffer, value: number) => number): Hasher {
  let value = 0
  return {
    update: (data) => {
      value = step(data, value)
    },
    digest: () => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(value)
      return bytes
    },
  }
}
