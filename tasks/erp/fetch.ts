import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import * as imports from '#sql/erp/imports.ts'
import * as sources from '#sql/erp/sources.ts'
import type { Tools } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'
import { readSource } from '../sources/rules/read-source.ts'
import { importCompanies } from './import.ts'
import { download } from './rules/download.ts'
import { importFiles } from './rules/import-files.ts'

const timeout = 45 * 60_000

/** Shorter than the timeout of the task, so that a slow server is recorded as the reason. */
const fetchTimeout = timeout - 60_000

/**
 * Fetches a source’s file, stores it for all workers, and starts its import. Skips an unchanged file. If the source was
 * changed during the fetch, it becomes due again. Records errors in the source.
 */
export const fetchSource = task({
  name: 'erp/fetch',
  pool: 'web',
  payload: z.object({ sourceId: Id }),
  tracked: true,
  attempts: 3,
  timeout,
  async run({ sourceId }, tools) {
    const source = await sources.find(tools.db, sourceId)
    if (!source) return null
    return await readSource({
      read: () => importFile(source, tools),
      async fail({ message }) {
        tools.log.warn({ source: source.name, err: message }, 'a register source could not be fetched')
        await sources.saveFailure(tools.db, sourceId, message)
      },
    })
  },
  async giveUp({ sourceId }, error, { db }) {
    await sources.saveFailure(db, sourceId, toStorableText(error.message, 500))
  },
})

async function importFile(
  source: sources.Source,
  { db, outbound, own, scratch, signal, storage }: Attempt & Tools['web'],
) {
  const file = await download(outbound, source, { scratch, timeout: fetchTimeout, signal })
  if (file === 'unchanged') {
    await sources.markUnchanged(db, source.id)
    return { unchanged: true }
  }
  await using _folder = file
  if (file.validators.sha256 === source.sha256) {
    await own(async (tx) => {
      await sources.recordRead(tx, source, file.validators)
      await sources.markUnchanged(tx, source.id)
    })
    return { unchanged: true }
  }
  const id = newId()
  const object_key = `${importFiles}${id}`
  await storage.upload(file.path, object_key, { contentType: 'application/octet-stream', signal })
  const { profile, register, options } = source
  const { bytes, name: file_name, validators } = file
  const isTaken = await own(async (tx) => {
    if (!(await sources.recordFetched(tx, source, id))) return false
    const actor = `source ${source.name}`
    const about = { source_id: source.id, source_version: source.version, validators, actor }
    await imports.insert(tx, { id, profile, register, options, object_key, bytes, file_name, ...about })
    await imports.recordRun(tx, id, await enqueue(tx, importCompanies, { importId: id }, { subject: id }))
    return true
  })
  if (isTaken) return { import: id, bytes }
  await storage.remove(object_key, signal)
  return { outdated: true }
}
