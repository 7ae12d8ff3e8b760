import type { DatabasePool, Db } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as sources from '#sql/erp/sources.ts'
import * as controls from '#sql/jobs/controls.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { fetchSource } from '../fetch.ts'
import { importCompanies } from '../import.ts'

/** Has a source fetched now, once however often it is asked for while it waits; returns the run's id. */
export const scheduleFetch = (tx: Db, sourceId: string): Promise<string> =>
  enqueue(tx, fetchSource, { sourceId }, { key: `erp/fetch:${sourceId}`, subject: sourceId })

/** Adds a source, or changes it, by an operator's word, which is kept. */
export async function putSource(db: DatabasePool, source: sources.NewSource, actor: string): Promise<sources.Source> {
  return await db.transaction(async (tx) => {
    await controls.note(tx, { actor, action: 'add', target: `source ${source.name}`, count: 1 })
    return await sources.put(tx, source)
  })
}

/** Has a source fetched now by an operator's word, which is kept. The run's id, or null when there is no source of that name. */
export async function fetchNow(db: DatabasePool, name: string, actor: string): Promise<string | null> {
  return await db.transaction(async (tx) => {
    const source = await sources.findByName(tx, name)
    if (source === null) return null
    await controls.note(tx, { actor, action: 'import', target: `source ${name}`, count: 1 })
    return await scheduleFetch(tx, source.id)
  })
}

/** Has an import that was held take effect, by an operator's word; false when it is not held any more. */
export async function confirmImport(db: DatabasePool, id: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await imports.confirm(tx, id))) return false
    await controls.note(tx, { actor, action: 'confirm', target: `import ${id}`, count: 1 })
    await imports.noteRun(tx, id, await enqueue(tx, importCompanies, { importId: id }, { subject: id }))
    return true
  })
}

/** Ends an import that was held, by an operator's word; false when it is not held any more. */
export async function refuseImport(db: DatabasePool, id: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await imports.refuse(tx, id, actor))) return false
    await controls.note(tx, { actor, action: 'refuse', target: `import ${id}`, count: 1 })
    return true
  })
}

/** Has a source be fetched by schedule no more, or again, by an operator's word; false when there is none of that name. */
export async function pauseSource(
  db: DatabasePool,
  name: string,
  { paused, actor }: { paused: boolean; actor: string },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await sources.pause(tx, name, paused))) return false
    await controls.note(tx, { actor, action: paused ? 'pause' : 'resume', target: `source ${name}`, count: 1 })
    return true
  })
}

/** Removes a source by an operator's word; what it has brought stays. False when there is none of that name. */
export async function removeSource(db: DatabasePool, name: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await sources.remove(tx, name))) return false
    await controls.note(tx, { actor, action: 'remove', target: `source ${name}`, count: 1 })
    return true
  })
}
