import type { OutboundClient } from '#lib/http.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Pending } from '#sql/bots/sources.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as fileVersions from '#sql/files/versions.ts'
import { fetchPage, validatorsOf } from '../../sources/rules/fetch.ts'
import { SourceError } from '../../sources/rules/source-error.ts'

export const mostBytes = 20 * 1024 ** 2

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
  if (!object) throw new SourceError('The object was deleted or is no longer clean.', { code: 'not_clean' })
  if (object.byte_size > mostBytes)
    throw new SourceError(`The object is larger than ${mostBytes} bytes.`, { code: 'too_large' })
  if (object.byte_size === 0) throw new SourceError('The file is empty.', { code: 'empty' })
  const chunks: Buffer[] = []
  for await (const chunk of (await storage.read(object.held_key ?? '', signal)) ?? []) chunks.push(chunk)
  if (chunks.length === 0) throw new SourceError('The object is empty.', { code: 'empty', passing: true })
  const { content_type: declaredType, filename: name } = object
  return { bytes: Buffer.concat(chunks), declaredType, name, etag: null, last_modified: null }
}

const accept = 'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.8'

async function ask(source: Pending, url: string, { outbound, signal }: Means): Promise<Fetched | 'unchanged'> {
  // The request is conditional only while a text is stored. Otherwise an unchanged source would have no text.
  const known = source.characters === null ? undefined : source
  const request = { client: 'MillraceBots', accept, maxBytes: mostBytes, holder: source.org_id, signal, known }
  const { status, headers, body } = await fetchPage(outbound, url, request)
  if (status === 304) return 'unchanged'
  const declaredType = [headers['content-type']].flat()[0]
  const { hostname, pathname } = new URL(url)
  return { bytes: body, declaredType, name: `${hostname}${pathname === '/' ? '' : pathname}`, ...validatorsOf(headers) }
}
