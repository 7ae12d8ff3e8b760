import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  zstdDecompress,
} from 'node:zlib'
import type { Dispatcher } from 'undici'
import { OutboundError } from './address-guard.ts'

interface Bounds {
  maxBytes: number
  tooLong?: 'refuse' | 'cut'
}

export async function readBody(
  answer: Dispatcher.ResponseData,
  { maxBytes, tooLong = 'refuse' }: Bounds,
  chunks: Buffer[] = [],
): Promise<{ body: Buffer; cut: boolean }> {
  if (answer.statusCode === 204 || answer.headers['content-length'] === '0') {
    await answer.body.dump()
    return { body: Buffer.alloc(0), cut: false }
  }
  let length = 0
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  const raw = Buffer.concat(chunks)
  const encoding = answer.headers['content-encoding']
  if (length > maxBytes) {
    if (tooLong === 'refuse') throw tooLarge(maxBytes)
    // An incomplete compressed body cannot be decoded.
    return { body: encoding === undefined ? raw.subarray(0, maxBytes) : Buffer.alloc(0), cut: true }
  }
  const body = await decompress(raw, encoding, maxBytes)
  if (body) return { body, cut: false }
  if (tooLong === 'refuse') throw tooLarge(maxBytes)
  return { body: Buffer.alloc(0), cut: true }
}

const optionalMs = 2_000

/**
 * Returns the part of the body that arrives within a short time. The result can be empty. A late, incomplete or
 * undecodable body is truncated.
 */
export async function readAvailable(
  answer: Dispatcher.ResponseData,
  { maxBytes }: Bounds,
): Promise<{ body: Buffer; cut: boolean }> {
  const kept: Buffer[] = []
  const late = setTimeout(() => answer.body.destroy(), optionalMs)
  try {
    return await readBody(answer, { maxBytes, tooLong: 'cut' }, kept)
  } catch {
    const raw = Buffer.concat(kept).subarray(0, maxBytes)
    return { body: answer.headers['content-encoding'] === undefined ? raw : Buffer.alloc(0), cut: true }
  } finally {
    clearTimeout(late)
  }
}

export async function* streamBody(
  answer: Dispatcher.ResponseData,
  { maxBytes }: Bounds,
  thrown: (error: unknown) => unknown,
): AsyncGenerator<Buffer> {
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase()
  const decoder = encoding === 'identity' ? undefined : streamDecoders[encoding as keyof typeof streamDecoders]?.()
  if (encoding !== 'identity' && !decoder) throw notUnderstood(encoding)
  let length = 0
  try {
    for await (const chunk of (decoder
      ? pipeline(answer.body, decoder, () => {})
      : answer.body) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  } catch (error) {
    const isCoding = String((error as NodeJS.ErrnoException).code).match(/^(Z_|ERR_BROTLI|ERR__ERROR|ZSTD)/)
    throw isCoding ? new OutboundError('bad_encoding', `The response is not valid ${encoding}.`, error) : thrown(error)
  }
}

const streamDecoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

async function decompress(
  body: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body
  const decode = decoders[String(encoding).toLowerCase() as keyof typeof decoders]
  if (!decode) throw notUnderstood(encoding)
  try {
    return await decode(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return
    throw new OutboundError('bad_encoding', `The response is not valid ${encoding}.`, error)
  }
}

const notUnderstood = (encoding: string | string[]) =>
  new OutboundError('bad_encoding', `The content encoding of the response is not supported: ${encoding}.`)

const tooLarge = (maxBytes: number) => new OutboundError('too_large', `The response is longer than ${maxBytes} bytes.`)
