import { Later } from '#lib/errors.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as erasedObjects from '#sql/people/erasure-objects.ts'
import * as erasedTables from '#sql/people/erasure-tables.ts'
import * as erasures from '#sql/people/erasures.ts'
import * as keys from '#sql/people/keys.ts'
import type { Erased, PersonTable } from '#sql/people/person-table.ts'
import { enqueueRemoval } from '../../files/remove.ts'
import { notifyStreams } from '../../push/rules/stream-channel.ts'
import { personTables } from './tables.ts'

/** Number of rows per transaction. */
const batch = 500

/** Maximum number of passes per run. More passes mean that somebody keeps adding rows of the person. */
const passesPerRun = 10

/** Maximum number of passes of all runs. Then the erasure fails. */
const mostPasses = 100

/** Delay in milliseconds after a run in which rows were added again and again. */
const addedMs = 60_000

/** Delay in milliseconds after which rows that are in use are tried again. */
const inUseMs = 5_000

export interface ErasureTools {
  db: DatabasePool
  signal: AbortSignal
}

/**
 * Deletes the rows of a person from all tables, a few hundred per transaction. Each transaction adds to the receipt, so
 * that a repeated job continues after the completed tables. Passes are repeated until one finds nothing, because a job
 * of an area may have added rows meanwhile. Throws `Later` if rows are in use or are still being added. Returns false if
 * rows were added for too long.
 */
export async function eraseRows(erasureId: string, tools: ErasureTools): Promise<boolean> {
  for (let n = 1; ; n++) {
    const work = await begin(tools.db, erasureId)
    if (!work) return true
    const pass = work.passes + 1
    // The first pass may continue one of an earlier run, which may have found rows.
    const before = n === 1 ? null : await erasedTables.total(tools.db, erasureId)
    await makePass(work, pass, tools)
    if (before === null) continue
    if ((await erasedTables.total(tools.db, erasureId)) === before) return true
    if (pass >= mostPasses) return false
    if (n >= passesPerRun) throw new Later(addedMs, 'rows of the person are still being added')
  }
}

async function makePass(work: erasures.ErasureWork, pass: number, tools: ErasureTools): Promise<void> {
  let isInUse = false
  for (const table of personTables) isInUse = (await eraseTable(work, table, pass, tools)) || isInUse
  if (isInUse) throw new Later(inUseMs, 'rows of the person are in use')
  await erasures.endPass(tools.db, work.id)
}

/** Reads the work of a pass. Addresses that were linked since are added, and those of another person are left out. */
async function begin(db: DatabasePool, id: string): Promise<erasures.ErasureWork | null> {
  return await db.transaction(async (tx) => {
    const work = await erasures.lockOpen(tx, id)
    if (!work) return null
    await erasures.start(tx, id)
    const found = keys.mergeKeys(work.identifiers, await keys.findKeys(tx, work.identifiers))
    const identifiers = await keys.withoutClaimed(tx, found)
    await erasures.widen(tx, id, identifiers)
    return { ...work, identifiers }
  })
}

/** Erases the rows of a table in batches. Returns true if rows are in use. */
async function eraseTable(
  { id, identifiers }: erasures.ErasureWork,
  table: PersonTable,
  pass: number,
  { db, signal }: ErasureTools,
): Promise<boolean> {
  const named = { erasure_id: id, name: table.name, action: table.action }
  for (;;) {
    signal.throwIfAborted()
    const end = await db.transaction(async (tx) => {
      if (!(await erasures.lockOpen(tx, id)) || (await erasedTables.isDone(tx, named, pass))) return 'done'
      const erased = await table.erase(tx, identifiers, batch)
      await follow(tx, { orgId: identifiers.org_id, erasureId: id, pass }, erased)
      const isLast = erased.rows < batch || table.action === 'kept'
      await erasedTables.count(tx, named, erased.rows, isLast && !erased.isInUse ? pass : null)
      if (!isLast) return 'more'
      return erased.isInUse ? 'in_use' : 'done'
    })
    if (end !== 'more') return end === 'in_use'
  }
}

/** Does what follows from erased rows in the same transaction: files to delete, streams to end. */
async function follow(
  tx: Db,
  { orgId, erasureId, pass }: { orgId: string; erasureId: string; pass: number },
  erased: Erased,
): Promise<void> {
  const { files = [], receivedEmails = [], devices = [] } = erased
  for (const file of files) {
    const marked = await objects.markDeleted(tx, { orgId }, file)
    for (const one of marked) await enqueueRemoval(tx, one)
    const ids = marked.map((one) => one.id)
    await erasedObjects.add(tx, erasureId, 'file', ids)
    await erasedTables.count(tx, { erasure_id: erasureId, name: 'files.objects', action: 'deleted' }, ids.length, pass)
  }
  await erasedObjects.add(tx, erasureId, 'received_email', receivedEmails)
  await notifyStreams(tx, devices)
}
