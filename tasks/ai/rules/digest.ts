import { hash } from 'node:crypto'

export type EmbeddingInput = string | readonly number[]

/**
 * Returns the key of an input in the cache, in hexadecimal. A list of tokens and a text with the same characters have
 * different keys.
 */
export const hashInput = (input: EmbeddingInput): string =>
  hash('sha256', typeof input === 'string' ? `text\n${input}` : `tokens\n${input.join()}`, 'hex')

/** Encodes a vector as Float32 values, little-endian. */
export function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes
}

export const decodeVector = (bytes: Buffer): Float32Array =>
  Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4))
