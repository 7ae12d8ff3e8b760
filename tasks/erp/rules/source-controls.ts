import type { DatabasePool, Db } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as sources from '#sql/erp/sources.ts'
import * as controls from '#sql/jobs/controls.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { fetchSource } from '../fetch.ts'
import { importCompanies } from '../import.ts'

/** Schedules a fetch. While a fetch is pending, no other is added. Returns the ID of the run. */
export const scheduleFetch = (tx: Db, sourceId: string): Promise<string> =>
  enqueue(tx, fetchSource, { sourceId }, { key: `erp/fetch:${sourceId}`, subject: sourceId })

export async function putSource(db: DatabasePool, source: sources.NewSource, actor: string): Promise<sources.Source> {
  return await db.transaction(async (tx) => {
    await controls.recordAction(tx, { actor, action: 'add', target: `source ${source.name}`, count: 1 })
    return await sources.put(tx, source)
  })
}

/**
 * Fetches a source now and records the operator's action. Returns the ID of the run, or `null` if the source does not
 * exist.
 */
export async function fetchNow(db: DatabasePool, name: string, actor: string): Promise<string | null> {
  return await db.transaction(async (tx) => {
    const source = await sources.findByName(tx, name)
    if (source === null) return null
    await controls.recordAction(tx, { actor, action: 'import', target: `source ${name}`, count: 1 })
    return await scheduleFetch(tx, source.id)
  })
}

export async function confirmImport(db: DatabasePool, id: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await imports.confirm(tx, id))) return false
    await controls.recordAction(tx, { actor, action: 'confirm', target: `import ${id}`, count: 1 })
    await imports.recordRun(tx, id, await enqueue(tx, importCompanies, { importId: id }, { subject: id }))
    return true
  })
}

export async function refuseImport(db: DatabasePool, id: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await imports.refuse(tx, id, actor))) return false
    await controls.recordAction(tx, { actor, action: 'refuse', target: `import ${id}`, count: 1 })
    return true
  })
}

export async function pauseSource(
  db: DatabasePool,
  name: string,
  { paused, actor }: { paused: boolean; actor: string },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await sources.pause(tx, name, paused))) return false
    await controls.recordAction(tx, { actor, action: paused ? 'pause' : 'resume', target: `source ${name}`, count: 1 })
    return true
  })
}

/** Removes a source and records the operator’s action. Its data stays. Returns false if the source does not exist. */
export async function removeSource(db: DatabasePool, name: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await sources.remove(tx, name))) return false
    await controls.recordAction(tx, { actor, action: 'remove', target: `source ${name}`, count: 1 })
    return true
  })
}
