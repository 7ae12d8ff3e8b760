import type { IncomingMessage, ServerResponse } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import { badRequest, Problem } from '#lib/errors.ts'
import type { BodyReader, RouteFacts } from '../route-facts.ts'
import { type JsonBounds, parseJson, usualBounds } from './json.ts'

/** Bytes of a body unless a route says other: of one that an organisation's servers call, and of one that anybody can. */
const [defaultBodyLimit, publicBodyLimit] = [1024 * 1024, 16 * 1024]

/** Bytes that bodies of a route may have. */
export const bodyLimitOf = (route: Pick<RouteFacts, 'bodyLimit' | 'site'> & { public?: boolean }): number =>
  route.bodyLimit ?? (route.public || route.site ? publicBodyLimit : defaultBodyLimit)

const decoder = new TextDecoder('utf-8', { fatal: true })

const tooLarge = (limit: number) =>
  new Problem(413, 'payload_too_large', `The body is larger than ${limit} bytes.`, { details: { limit } })

const wrongType = (why: string) => new Problem(415, 'unsupported_media_type', why)

/**
 * Reads a body of at most `limit` bytes. A larger one is refused as soon as that shows; what remains of it is read and
 * thrown away by Node after the answer, so the connection can be used again.
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

/** Whether the request carries a body at all (RFC 9112 §6.3, RFC 9113 §8.1). */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length']
  if (req instanceof Http2ServerRequest && length === undefined) return !req.stream.endAfterHeaders
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** How a route reads bodies. */
interface Reading {
  limit: number
  /** Takes JSON labelled `text/plain`, too. */
  beacon: boolean
  /** Readers of texts that are no JSON, by their types. */
  alsoTakes: Readonly<Record<string, BodyReader>>
  /** The list of the body whose items the route checks one by one. */
  itemsApart: string | undefined
  /** Of the request, which may say how such a text is read. */
  querystring?: string
  /** Whose request it is; empty without a key. */
  orgId?: string
}

/** The value of a request's body, which is JSON unless the route takes another type, too; undefined when there is none. Throws 400, 413 and 415. */
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
    throw badRequest([{ field: 'body', issue: 'is not UTF-8' }])
  }
}

/**
 * Reads the JSON of a server of others, whose signature over the bytes was checked: what no Postgres text can hold becomes U+FFFD, and
 * bytes that are no UTF-8 do. Throws 400 for what is no JSON, and for more than `bounds`.
 */
export const readSigned = (bytes: Buffer, bounds: JsonBounds): unknown =>
  parseJson(bytes.toString(), { ...bounds, repair: true })

function parserFor(
  req: IncomingMessage,
  { beacon, alsoTakes, itemsApart, querystring = '', orgId = '' }: Reading,
): (text: string) => unknown {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw wrongType(`Bodies in content-encoding ${encoding} are not read.`)
  const given = req.headers['content-type']
  if (given === undefined) throw wrongType('The body needs the header content-type: application/json.')
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
