import { z } from 'zod'
import { Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as sources from '#sql/erp/sources.ts'
import type { Tools } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'
import { ImportError } from './rules/import-error.ts'
import { openFile } from './rules/open-file.ts'
import { isOfOfficers, isOfRelations, isProfile } from './rules/profiles/index.ts'
import { replaceCompanies } from './rules/replace-companies.ts'
import { replaceOfficers } from './rules/replace-officers.ts'
import { replaceRelations } from './rules/replace-relations.ts'
import type { RangedFile } from './rules/zip-entry.ts'
import { tellChanges } from './tell-changes.ts'
import { tellWatchers } from './tell-watchers.ts'

const reading = 0.7

/**
 * Replaces a register with a file. Rejects the import if the file cannot be read. If a source’s file has too few
 * entries, it is held for an operator’s decision.
 */
export const importCompanies = task({
  name: 'erp/import',
  pool: 'web',
  payload: z.object({ importId: Id }),
  tracked: true,
  attempts: 5,
  timeout: 60 * 60_000,
  async run({ importId }, tools) {
    const { db, storage, signal } = tools
    const one = await imports.find(db, importId)
    if (!one || one.state === 'failed' || one.state === 'held') return null
    if (one.state === 'waiting') {
      const why = await heldBecause(replace(one, tools), one)
      if (why !== undefined) {
        await tools.own((tx) => held(tx, one, why))
        return { held: why }
      }
    }
    if (one.object_key !== null) {
      await storage.remove(one.object_key, signal)
      await imports.forgetFile(db, importId)
    }
    return (await imports.find(db, importId))?.counts
  },
  async giveUp({ importId }, error, { db }) {
    const why = toStorableText(error.message, 500)
    const source = (await imports.find(db, importId))?.source_id
    await db.transaction(async (tx) => {
      if ((await imports.fail(tx, importId, why)) && source) await sources.recordUnreadable(tx, source, why)
    })
  },
  async revive({ importId }, { db }) {
    if (!(await imports.revive(db, importId))) throw new Rejected('The file is no longer stored. Import it again.')
  },
})

async function replace(one: imports.Import, { db, log, own, progress, signal, storage }: Attempt & Tools['web']) {
  const { id: importId, profile, register, options } = one
  if (!isProfile(profile)) throw new ImportError(`The profile ${profile} no longer exists.`)
  const tell = (read: number) => progress((reading * read) / Math.max(1, one.bytes))
  const bytes = openFile(fileOf(one, storage, signal), tell)
  const finish = (tx: Db, outcome: imports.Outcome) => finished(tx, one, outcome)
  const replacement = { importId, register, options, signal, own, bytes, finish }
  const counts = isOfOfficers(profile)
    ? await replaceOfficers(db, { ...replacement, profile })
    : isOfRelations(profile)
      ? await replaceRelations(db, { ...replacement, profile })
      : await replaceCompanies(db, { ...replacement, profile })
  log.info({ register, ...counts }, 'imported a register')
}

async function heldBecause(work: Promise<void>, { source_id }: imports.Import): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    if (!error.shrunk || source_id === null) throw new Rejected(error.message)
    return error.message
  }
}

function fileOf({ object_key, bytes }: imports.Import, storage: Storage, signal: AbortSignal): RangedFile {
  const lost = () => new Rejected('The file no longer exists in object storage.')
  return {
    bytes,
    async read(from, to) {
      const whole = object_key === null ? null : await storage.read(object_key, signal, { from, to: to - 1 })
      if (whole === null) throw lost()
      return whole
    },
  }
}

async function finished(tx: Db, one: imports.Import, outcome: imports.Outcome): Promise<void> {
  const { id, source_id } = one
  await imports.finish(tx, id, outcome)
  if (source_id !== null) await imports.supersede(tx, source_id, id)
  await noteRead(tx, one)
  const { added, changed, missing } = outcome.counts
  if (added + changed + missing === 0) return
  await enqueue(tx, tellChanges, { importId: id }, { subject: id })
  await enqueue(tx, tellWatchers, {})
}

async function held(tx: Db, one: imports.Import, why: string): Promise<void> {
  await imports.hold(tx, one, why)
  await noteRead(tx, one)
}

async function noteRead(tx: Db, { source_id: id, source_version: version, validators }: imports.Import): Promise<void> {
  if (id !== null && version !== null && validators) await sources.recordRead(tx, { id, version }, validators)
}
