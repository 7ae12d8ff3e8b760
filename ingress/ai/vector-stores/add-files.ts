import { badRequest, type Fault, forbidden, notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { listSome } from '#sql/files/some-objects.ts'
import * as files from '#sql/knowledge/store-files.ts'
import type { Store } from '#sql/knowledge/stores.ts'
import { findMissing } from '#tasks/account/rules/scopes.ts'
import { readStoreFile } from '#tasks/knowledge/read-store-file.ts'
import { enqueueMany } from '#tasks/queue/enqueue.ts'
import { mostBytes } from '#tasks/sources/rules/read-object.ts'
import { problem } from '../../http/problem-kinds.ts'

/** Maximum number of files of a store. The cost of a filter grows with it. */
export const mostFiles = 10_000

export const storeFull = problem(409, 'vector_store_full', `A vector store can have up to ${mostFiles} files.`)

interface GivenFile {
  file_id: string
  attributes?: files.StoreFile['attributes'] | undefined
}

interface Added {
  store: Store
  given: readonly GivenFile[]
  /** Name of the body field with the files. */
  field: string
  batchId?: string
}

/**
 * Throws 403 if the key cannot read files. Without the scope, a search would show the content of files that the key
 * cannot load.
 */
export function requireFilesRead({ key }: Pick<Caller, 'key'>): void {
  if (findMissing(key.scopes, 'files:read').length > 0)
    throw forbidden('This API key does not have the `files:read` scope, which files in vector stores require.')
}

/** Adds files to a store and starts their reads. The caller must hold the lock of the store. */
export async function addFiles(tx: Db, { store, given, field, batchId }: Added): Promise<readonly files.StoreFile[]> {
  // If a file is given twice, its last attributes count.
  const byId = new Map(given.map((one) => [one.file_id, one]))
  const known = await listSome(tx, store.org_id, [...byId.keys()])
  const missing = [...byId.keys()].filter((id) => !known.has(id))
  if (missing.length > 0) throw notFound(`file: ${missing.slice(0, 5).join(', ')}`)
  const faults: Fault[] = [...known.values()].flatMap(({ id, scan_status, byte_size }) => [
    ...(scan_status === 'awaiting_upload'
      ? [{ field, issue: `must be uploaded files: the upload of ${id} is not complete` }]
      : []),
    ...(byte_size > mostBytes
      ? [{ field, issue: `must be files of at most ${mostBytes} bytes: ${id} is larger` }]
      : []),
  ])
  if (faults.length > 0) throw badRequest(faults)
  await requireRoom(tx, store, [...byId.keys()])
  const added = await files.add(
    tx,
    [...byId.values()].map(({ file_id, attributes = {} }) => ({
      id: newId(),
      org_id: store.org_id,
      store_id: store.id,
      file_id,
      batch_id: batchId ?? null,
      filename: known.get(file_id)?.filename ?? '',
      attributes,
    })),
  )
  const payloads = added.map(({ id, try: nth }) => ({ id, try: nth }))
  await enqueueMany(tx, readStoreFile, payloads, (i) => ({ orgId: store.org_id, subject: added[i]?.id ?? '' }))
  return added
}

/** Throws 409 if the store would have too many files. */
export async function requireRoom(tx: Db, store: Store, fileIds: readonly string[]): Promise<void> {
  const { files_in_progress, files_completed, files_failed, files_cancelled } = store
  const total = files_in_progress + files_completed + files_failed + files_cancelled
  if (total + (await files.countNew(tx, store.id, fileIds)) > mostFiles) throw storeFull(storeFull.when)
}
