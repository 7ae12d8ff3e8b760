import type { OutboundClient } from '#lib/http.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Pending } from '#sql/bots/sources.ts'
import type { DatabasePool } from '#sql/db.ts'
import { fetchPage, validatorsOf } from '../../sources/rules/fetch.ts'
import { mostBytes, readObject } from '../../sources/rules/read-object.ts'
import { SourceError } from '../../sources/rules/source-error.ts'

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
  source.url === null ? readUploaded(source, means) : ask(source, source.url, means)

async function readUploaded({ org_id, object_id }: Pending, means: Means): Promise<Fetched> {
  if (object_id === null) throw new SourceError('The object was deleted or is no longer clean.', { code: 'not_clean' })
  return { ...(await readObject(means, org_id, object_id)), etag: null, last_modified: null }
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
