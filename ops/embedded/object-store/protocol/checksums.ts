import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { crc32c } from './crc32c.ts'
import { S3Error } from './errors.ts'

/** The checksum algorithms kept beside an object, as in `x-amz-checksum-<algorithm>`. */
export const algorithms = ['crc32', 'crc32c', 'sha1', 'sha256'] as const

/** One of the checksum algorithms. */
export type Algorithm = (typeof algorithms)[number]

/** A checksum as S3 states it: base64 over all bytes, or over the parts' checksums with `-` and their number. */
export interface Checksum {
  readonly algorithm: Algorithm
  readonly value: string
  readonly type: 'FULL_OBJECT' | 'COMPOSITE'
}

/** A digest in the making. */
export interface Hasher {
  update(data: Buffer): void
  digest(): Buffer
}

/** Starts a checksum. */
export function startChecksum(algorithm: Algorithm): Hasher {
  if (algorithm === 'crc32') return startCrc(crc32)
  if (algorithm === 'crc32c') return startCrc(crc32c)
  const hash = createHash(algorithm)
  return { update: (data) => void hash.update(data), digest: () => hash.digest() }
}

/** Computes the checksum of checksums of a multipart object. */
export function compose(algorithm: Algorithm, parts: readonly string[]): Checksum {
  const hasher = startChecksum(algorithm)
  hasher.update(Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))))
  return { algorithm, value: `${hasher.digest().toString('base64')}-${parts.length}`, type: 'COMPOSITE' }
}

/** Reads an algorithm by the name S3 gives it, in any case; throws NotImplemented for one that is not kept here. */
export function readAlgorithm(name: string): Algorithm {
  const found = algorithms.find((algorithm) => algorithm === name.toLowerCase())
  if (!found) throw new S3Error('NotImplemented', `The checksum algorithm ${name} is not implemented.`)
  return found
}

/** Finds the one checksum that headers or trailers state. */
export function statedChecksum(
  fields: ReadonlyMap<string, string>,
): { algorithm: Algorithm; value: string } | undefined {
  const [stated, ...others] = [...fields].filter(([name]) => checksumField.test(name))
  if (others.length > 0) throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header.')
  return stated && { algorithm: readAlgorithm(stated[0].slice('x-amz-checksum-'.length)), value: stated[1] }
}

const checksumField = /^x-amz-checksum-(?!mode$|type$|algorithm$)/

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
