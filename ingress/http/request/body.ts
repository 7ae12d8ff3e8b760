import type { IncomingMessage, ServerResponse } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import { badRequest, Problem } from '#lib/errors.ts'
import type { BodyReader, RouteFacts } from '../route-facts.ts'
import { type JsonBounds, parseJson, usualBounds } from './json.ts'

/** Default maximum size of a body in bytes: for calls from servers, and for calls that anyone can make. */
const [defaultBodyLimit, publicBodyLimit] = [1024 * 1024, 16 * 1024]

export const getBodyLimit = (route: Pick<RouteFacts, 'bodyLimit' | 'site'> & { public?: boolean }): number =>
  route.bodyLimit ?? (route.public || route.site ? publicBodyLimit : defaultBodyLimit)

const decoder = new TextDecoder('utf-8', { fatal: true })

const tooLarge = (limit: number) =>
  new Problem(413, 'payload_too_large', `The body must be at most ${limit} bytes.`, { details: { limit } })

const wrongType = (why: string) => new Problem(415, 'unsupported_media_type', why)

/**
 * Reads a body of up to `limit` bytes. A larger body is rejected as soon as its size is known. After the response, Node
 * reads and discards the rest of the body, so the connection can be reused.
 */
export async function readBody(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  if (req.headers.expect !== undefined) res.writeContinue()
  const chunks: Buffer[] = []
  let size = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) reject(tooLarge(limit))
    else chunks.push(chunk)
  }
  const onGone = () => reject(new Problem(400, 'bad_request', 'The body ended early.'))
  req.on('data', onData).once('end', resolve).once('error', onGone).once('aborted', onGone)
  try {
    await promise
  } finally {
    req.off('data', onData).off('end', resolve).off('aborted', onGone)
    req.resume()
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)
}

/** True if the request has a body (RFC 9112 §6.3, RFC 9113 §8.1). */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length']
  if (req instanceof Http2ServerRequest && length === undefined) return !req.stream.endAfterHeaders
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

interface Reading {
  limit: number
  beacon: boolean
  alsoTakes: Readonly<Record<string, BodyReader>>
  itemsApart: string | undefined
  querystring?: string
  orgId?: string
}

/**
 * Returns the value of a request’s body. The body is JSON unless the route accepts another type. Returns undefined if
 * there is no body. Throws 400, 413 and 415.
 */
export async function readValue(req: IncomingMessage, res: ServerResponse, reading: Reading): Promise<unknown> {
  if (!hasBody(req)) return undefined
  const parse = parserFor(req, reading)
  const bytes = await readBody(req, res, reading.limit)
  if (bytes.length === 0) return undefined
  const text = textOf(bytes)
  return text.trim() === '' ? undefined : await parse(text)
}

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw badRequest([{ field: 'body', issue: 'must be UTF-8' }])
  }
}

/**
 * Parses JSON from another server. Call it only after checking the signature. Invalid UTF-8 and characters that
 * Postgres cannot store become U+FFFD. Throws 400 if the JSON is invalid or exceeds `bounds`.
 */
export const readSigned = (bytes: Buffer, bounds: JsonBounds): unknown =>
  parseJson(bytes.toString(), { ...bounds, repair: true })

function parserFor(
  req: IncomingMessage,
  { beacon, alsoTakes, itemsApart, querystring = '', orgId = '' }: Reading,
): (text: string) => unknown {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw wrongType(`The content-encoding ${encoding} is not supported.`)
  const given = req.headers['content-type']
  if (given === undefined)
    throw wrongType('A request with a body requires the header `content-type: application/json`.')
  const [type = '', ...parameters] = given.toLowerCase().split(';')
  const name = type.trim()
  const json = /^application\/([a-z0-9.+-]+\+)?json$/.test(name) || (beacon && name === 'text/plain')
  const other = Object.hasOwn(alsoTakes, name) ? alsoTakes[name] : undefined
  const parse = json
    ? (text: string) => parseJson(text, { ...usualBounds, itemsApart })
    : other && ((text: string) => other(text, new URLSearchParams(querystring), orgId))
  if (!parse) {
    const types = ['application/json', ...Object.keys(alsoTakes)].join(' or ')
    throw wrongType(`The body must be ${types}, not ${name}.`)
  }
  const charset = parameters.map((p) => /^\s*charset="?([^"\s]+)/.exec(p)?.[1]).find(Boolean) ?? 'utf-8'
  if (charset !== 'utf-8' && charset !== 'utf8') throw wrongType(`The body must be in UTF-8, not ${charset}.`)
  return parse
}
