import type { OutboundClient, OutboundResponse } from '#lib/http.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Pending } from '#sql/bots/sources.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as fileVersions from '#sql/files/versions.ts'

export const mostBytes = 20 * 1024 ** 2

const fetchMs = 30_000

export class SourceError extends Error {
  override name = 'SourceError'
  readonly code: string
  readonly passing: boolean

  constructor(code: string, message: string, passing = false) {
    super(message)
    this.code = code
    this.passing = passing
  }
}

interface Fetched {
  bytes: Uint8Array
  declaredType: string | undefined
  name: string
  etag: string | null
  last_modified: string | null
}

interface Means {
  db: DatabasePool
  outbound: OutboundClient
  storage: Storage
  signal: AbortSignal
}

/** Returns the content of a source, or that it is unchanged. Throws `SourceError`, and `OutboundError` for a URL. */
export const fetchSource = (source: Pending, means: Means): Promise<Fetched | 'unchanged'> =>
  source.url === null ? readObject(source, means) : ask(source, source.url, means)

async function readObject({ org_id, object_id }: Pending, { db, storage, signal }: Means): Promise<Fetched> {
  const first = object_id === null ? null : await objects.find(db, { orgId: org_id }, object_id)
  const object = first && (await fileVersions.findServed(db, first.id))
  if (!object) throw new SourceError('not_clean', 'The object was deleted or is no longer clean.')
  if (object.byte_size > mostBytes) throw new SourceError('too_large', `The object is larger than ${mostBytes} bytes.`)
  const chunks: Buffer[] = []
  for await (const chunk of (await storage.read(object.held_key ?? '', signal)) ?? []) chunks.push(chunk)
  if (chunks.length === 0) throw new SourceError('empty', 'The object is empty.', true)
  const { content_type: declaredType, filename: name } = object
  return { bytes: Buffer.concat(chunks), declaredType, name, etag: null, last_modified: null }
}

async function ask(source: Pending, url: string, { outbound, signal }: Means): Promise<Fetched | 'unchanged'> {
  // The request is conditional only while a text is stored. Otherwise an unchanged source would have no text.
  const asked = source.characters === null ? { etag: null, last_modified: null } : source
  const headers = {
    'user-agent': 'Mozilla/5.0 (compatible; MillraceBots/1.0)',
    accept: 'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.8',
    ...(asked.etag !== null && { 'if-none-match': asked.etag }),
    ...(asked.last_modified !== null && { 'if-modified-since': asked.last_modified }),
  }
  const bounds = { timeout: fetchMs, maxBytes: mostBytes, redirects: 5, signal }
  const answer = await outbound.request(url, { headers, ...bounds, holder: source.org_id })
  const { status, body } = answer
  if (status === 304 && source.characters !== null) return 'unchanged'
  if (status !== 200) {
    const passes = status >= 500 || status === 429 || status === 408
    throw new SourceError('http_status', `The server returned ${status}.`, passes)
  }
  if (body.length === 0) throw new SourceError('empty', 'The server returned 200 with an empty body.')
  const { hostname, pathname } = new URL(url)
  return {
    bytes: body,
    declaredType: headerOf(answer, 'content-type') ?? undefined,
    name: `${hostname}${pathname === '/' ? '' : pathname}`,
    etag: headerOf(answer, 'etag'),
    last_modified: headerOf(answer, 'last-modified'),
  }
}

/** Maximum length of a validator. Longer validators are not sent back to the server. */
const longestMark = 500

function headerOf({ headers }: OutboundResponse, name: string): string | null {
  const value = [headers[name]].flat()[0]
  return value === undefined || value.length > longestMark ? null : toStorableText(value)
}
