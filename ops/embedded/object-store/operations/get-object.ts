import { type Exchange, httpDate, respondEmpty, setHeaders } from '../exchange.ts'
import { readNumber, toHeader } from '../protocol/call.ts'
import { checkRead, listsEtag } from '../protocol/conditions.ts'
import { S3Error } from '../protocol/errors.ts'
import { type Range, readRange } from '../protocol/range.ts'
import * as objects from '../storage/objects.ts'
import * as tags from '../storage/tags.ts'
import { send } from './send.ts'
import { checksumHeaders } from './stored-headers.ts'

export async function getObject(exchange: Exchange): Promise<void> {
  const { call, response, store } = exchange
  const object = objects.find(store, call)
  if (!object) throw new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key: call.key } })
  const validators = { etag: `"${object.etag}"`, 'last-modified': httpDate(object.modified) }
  if (checkRead(call.headers, object))
    return respondEmpty(exchange, 304, { ...validators, 'cache-control': object.headers['cache-control'] })
  const range = rangeOf(exchange, object)
  const { start, end } = range ?? { start: 0, end: object.size }
  const wantsChecksum = call.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED' && !range
  response.statusCode = range ? 206 : 200
  setHeaders(response, {
    ...object.headers,
    ...validators,
    ...overrides(exchange),
    ...(wantsChecksum ? checksumHeaders(object.checksum) : {}),
    'x-amz-tagging-count': tags.find(store, object.id).length || undefined,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-length': end - start,
    'content-range': range && `bytes ${start}-${end - 1}/${object.size}`,
  })
  if (call.method === 'HEAD') response.end()
  else await send(response, store.blobs, objects.segments(store, object.id, start, end), { start, end })
}

function rangeOf({ call, response, store }: Exchange, object: objects.StoredObject): Range | undefined {
  const number = call.query.get('partNumber')
  const header = call.headers.get('range')
  if (number === undefined) {
    const condition = call.headers.get('if-range')
    return condition === undefined || listsEtag(condition, object.etag) ? readRange(header, object.size) : undefined
  }
  if (header !== undefined) throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber.')
  const part = objects.segmentAt(store, object.id, readNumber('partNumber', number, 1, 10_000) - 1)
  if (!part) throw new S3Error('InvalidPartNumber', 'The requested partnumber is not satisfiable')
  if (object.etag.includes('-')) response.setHeader('x-amz-mp-parts-count', objects.countSegments(store, object.id))
  return part.size === 0 ? undefined : { start: part.start, end: part.start + part.size }
}

function overrides({ call }: Exchange): Record<string, string> {
  const chosen: Record<string, string> = {}
  for (const name of [
    'cache-control',
    'content-disposition',
    'content-encoding',
    'content-language',
    'content-type',
    'expires',
  ]) {
    const value = call.query.get(`response-${name}`)
    if (value === undefined) continue
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character would end the header.
    if (/[\u0000-\u001f\u007f]/.test(value))
      throw new S3Error('InvalidArgument', `response-${name} must not contain control characters.`)
    chosen[name] = toHeader(value)
  }
  return chosen
}
