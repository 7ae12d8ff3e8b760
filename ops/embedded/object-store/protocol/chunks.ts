/**
 * The `aws-chunked` framing of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header:
 * Transferring Payload in Multiple Chunks" and "... Including Trailing Headers".
 */
import { createHash } from 'node:crypto'
import type { Grant } from './authorize.ts'
import { ByteReader } from './byte-reader.ts'
import { S3Error } from './errors.ts'
import * as signature from './signature.ts'

export interface Framing {
  /** Start of the signature chain. Undefined if chunks are not signed. */
  readonly seed: Grant['seed'] | undefined
  readonly trailers: readonly string[]
}

/** Removes the framing of a body, verifies every chunk signature, and adds the trailing headers to `fields`. */
export async function* unframe(
  source: AsyncIterable<Buffer>,
  { seed, trailers }: Framing,
  fields: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source)
  const chain = seed && new Chain(seed)
  for (;;) {
    const { size, signature: stated } = readFrame(await reader.line(256), chain !== undefined)
    const hash = chain && createHash('sha256')
    for (let left = size; left > 0; ) {
      const data = await reader.take(left)
      left -= data.length
      hash?.update(data)
      yield data
    }
    if (hash) chain?.checkChunk(hash.digest('hex'), stated)
    if (size === 0) break
    if ((await reader.line(0)) !== '') throw new S3Error('IncompleteBody', 'A chunk is longer than its size.')
  }
  await readTrailers(reader, trailers, chain, fields)
  if (!(await reader.isAtEnd())) throw new S3Error('IncompleteBody', 'The body continues after its last chunk.')
}

function readFrame(line: string, isSigned: boolean): { size: number; signature: string } {
  const match = /^([0-9a-f]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line)
  if (!match || (match[2] !== undefined) !== isSigned)
    throw new S3Error('IncompleteBody', 'A chunk must start with its size and signature.')
  return { size: Number.parseInt(match[1] ?? '', 16), signature: match[2] ?? '' }
}

async function readTrailers(
  reader: ByteReader,
  announced: readonly string[],
  chain: Chain | undefined,
  fields: Map<string, string>,
): Promise<void> {
  const malformed = (why: string) => new S3Error('MalformedTrailerError', `The trailing headers ${why}.`)
  let text = ''
  let stated: string | undefined
  for (let line = await reader.line(1024); line !== ''; line = await reader.line(1024)) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? []
    if (name.toLowerCase() === 'x-amz-trailer-signature') stated = value.trim()
    else if (!announced.includes(name.toLowerCase()) || fields.has(name.toLowerCase()) || stated !== undefined)
      throw malformed(`contain ${name || line}, which was not announced`)
    else {
      fields.set(name.toLowerCase(), value.trim())
      text += `${name.toLowerCase()}:${value.trim()}\n`
    }
  }
  if (fields.size < announced.length) throw malformed('do not contain an announced header')
  if (announced.length > 0) chain?.checkTrailers(text, stated ?? '')
}

class Chain {
  readonly #seed: Grant['seed']
  #last: string

  constructor(seed: Grant['seed']) {
    this.#seed = seed
    this.#last = seed.signature
  }

  checkChunk(hash: string, stated: string): void {
    this.#check('PAYLOAD', [signature.emptyHash, hash], stated)
  }

  checkTrailers(text: string, stated: string): void {
    this.#check('TRAILER', [signature.sha256(text)], stated)
  }

  #check(kind: 'PAYLOAD' | 'TRAILER', hashes: readonly string[], stated: string): void {
    const { key, timestamp, scope } = this.#seed
    const text = [`${signature.algorithm}-${kind}`, timestamp, scope, this.#last, ...hashes].join('\n')
    this.#last = signature.sign(key, text)
    if (!signature.isSame(this.#last, stated))
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk or of the trailing headers does not match.')
  }
}
