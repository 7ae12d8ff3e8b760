import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as fileVersions from '#sql/files/versions.ts'
import { SourceError } from './source-error.ts'

/** Maximum size in bytes of a file whose text is read. */
export const mostBytes = 20 * 1024 ** 2

interface Means {
  db: DatabasePool
  storage: Storage
  signal: AbortSignal
}

interface ObjectContent {
  bytes: Uint8Array
  declaredType: string
  name: string
}

/** Returns the content of an object of the files area. Throws `SourceError` if it is not clean, too large or empty. */
export async function readObject(
  { db, storage, signal }: Means,
  orgId: string,
  objectId: string,
): Promise<ObjectContent> {
  const first = await objects.find(db, { orgId }, objectId)
  const object = first && (await fileVersions.findServed(db, first.id))
  if (!object) throw new SourceError('The object was deleted or is no longer clean.', { code: 'not_clean' })
  if (object.byte_size > mostBytes)
    throw new SourceError(`The object is larger than ${mostBytes} bytes.`, { code: 'too_large' })
  if (object.byte_size === 0) throw new SourceError('The file is empty.', { code: 'empty' })
  const chunks: Buffer[] = []
  for await (const chunk of (await storage.read(object.held_key ?? '', signal)) ?? []) chunks.push(chunk)
  if (chunks.length === 0) throw new SourceError('The object is empty.', { code: 'empty', passing: true })
  return { bytes: Buffer.concat(chunks), declaredType: object.content_type, name: object.filename }
}
