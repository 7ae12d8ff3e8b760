import type { IncomingMessage } from 'node:http'
import { S3Error } from './errors.ts'
import { decode, parseQuery } from './uri.ts'

export interface Call {
  readonly method: string
  readonly rawPath: string
  readonly path: string
  readonly bucket: string
  readonly key: string
  readonly pairs: readonly (readonly [name: string, value: string])[]
  readonly query: ReadonlyMap<string, string>
  /** Headers by lowercase name. Values of a repeated header are joined by commas. */
  readonly headers: Map<string, string>
  /** True if the client waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1). */
  readonly expectsContinue: boolean
  readonly request: IncomingMessage
}

export function readCall(request: IncomingMessage, expectsContinue: boolean): Call {
  const target = readTarget(request.url ?? '')
  if (!target.startsWith('/')) throw new S3Error('InvalidURI', 'The request target must be a path.')
  const mark = target.indexOf('?')
  const rawPath = mark < 0 ? target : target.slice(0, mark)
  const pairs = mark < 0 ? [] : parseQuery(target.slice(mark + 1))
  const path = decode(rawPath)
  const slash = rawPath.indexOf('/', 1)
  const [bucket, key] =
    slash < 0 ? [decode(rawPath.slice(1)), ''] : [decode(rawPath.slice(1, slash)), decode(rawPath.slice(slash + 1))]
  if (Buffer.byteLength(key) > 1024) throw new S3Error('KeyTooLongError', 'Your key is too long.')
  const query = new Map(pairs.toReversed())
  const headers = readHeaders(request.rawHeaders)
  return { method: request.method ?? '', rawPath, path, bucket, key, pairs, query, headers, expectsContinue, request }
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Reads an integer from a header or query value. Throws InvalidArgument if it is outside `min` to `max`. */
export function readNumber(name: string, value: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= min && number <= max))
    throw new S3Error('InvalidArgument', `${name} must be a number from ${min} to ${max}, not "${value}".`, {
      details: { ArgumentName: name, ArgumentValue: value },
    })
  return number
}

/** Node decodes the request line as Latin-1, but clients that send an unencoded URL use UTF-8. */
function readTarget(url: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(url, 'latin1'))
  } catch {
    throw new S3Error('InvalidURI', "Couldn't parse the specified URI.")
  }
}

/** Converts text to the UTF-8 bytes of a header, as the Latin-1 text that node:http expects. */
export function toHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function readHeaders(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    const value = (raw[at + 1] as string).trim()
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  return headers
}
