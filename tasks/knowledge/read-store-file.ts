import { z } from 'zod'
import { Later, Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as fileVersions from '#sql/files/versions.ts'
import { getCoveredText } from '#sql/knowledge/split.ts'
import * as files from '#sql/knowledge/store-files.ts'
import type { Tools } from '../pools.ts'
import { type Attempt, task } from '../queue/task.ts'
import { readObject } from '../sources/rules/read-object.ts'
import { readSource } from '../sources/rules/read-source.ts'
import { SourceError } from '../sources/rules/source-error.ts'
import { mostCharacters, storeText } from './rules/store-text.ts'

/** Delay in milliseconds until a file is read while its scan has not ended. */
const scanMs = 1_000

/** Reads the text of a file of a vector store and indexes it. */
export const readStoreFile = task({
  name: 'knowledge/read-store-file',
  pool: 'web',
  payload: z.object({ id: Id, try: z.int() }),
  timeout: 3 * 60_000,
  async run(read, tools) {
    const { db } = tools
    const file = await files.findInProgress(db, read)
    if (!file) return
    await readSource({
      read: () => indexFile(file, tools),
      fail: ({ code, message }) => files.fail(db, read, { code: toErrorCode(code), message }),
    })
  },
  async giveUp(read, error, { db }) {
    const message = error.name === 'Cancelled' ? 'The job was cancelled.' : 'Several attempts to read the file failed.'
    await files.fail(db, read, { code: 'server_error', message })
  },
  async revive() {
    throw new Permanent('A file is read again when its organisation adds it to the store again.')
  },
})

/** Returns the error code of OpenAI’s API. */
const toErrorCode = (code: string): 'unsupported_file' | 'invalid_file' =>
  code === 'unreadable' ? 'unsupported_file' : 'invalid_file'

async function indexFile(file: files.StoreFile, tools: Attempt & Tools['web']): Promise<void> {
  const { db, documents, signal } = tools
  await awaitScan(db, file)
  const { bytes, declaredType } = await readObject(tools, file.org_id, file.file_id)
  const read = await documents.readText(bytes, declaredType, file.org_id, signal)
  // One character more than allowed, so that a text that is too long is rejected.
  const text = toStorableText(read.text, mostCharacters + 1)
  const covered = text.length > mostCharacters ? text : getCoveredText(text)
  await db.transaction(async (tx) => {
    const locked = await files.lockInProgress(tx, file)
    if (locked) await storeText(tx, locked, covered)
  })
}

/** Delays the read until the first scan of the object has ended. Throws `SourceError` if the object is not clean. */
async function awaitScan(db: DatabasePool, { org_id: orgId, file_id: fileId }: files.StoreFile): Promise<void> {
  const object = await objects.find(db, { orgId }, fileId)
  if (!object || (await fileVersions.findServed(db, fileId))) return
  const { scan_status: status } = object
  if (status === 'pending' || status === 'scanning') throw new Later(scanMs, 'The file is being scanned.')
  throw new SourceError(`The file cannot be indexed: the result of the virus scan is “${status.replace('_', ' ')}”.`, {
    code: 'not_clean',
  })
}
