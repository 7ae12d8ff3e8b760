import { hash } from 'node:crypto'

/** A text, or a list of tokens. */
export type EmbeddingInput = string | readonly number[]

/** What names an input among kept vectors, in hexadecimal; a list of tokens is no text of the same letters. */
export const digestOf = (input: EmbeddingInput): string =>
  hash('sha256', typeof input === 'string' ? `text\n${input}` : `tokens\n${input.join()}`, 'hex')

/** A vector as it is kept: Float32 after Float32, the lowest byte first. */
export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes
}

/** The vector of such bytes. */
export const vectorOf = (bytes: Buffer): Float32Array =>
  Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4))
