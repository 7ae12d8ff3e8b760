import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { FileObject, table as objects } from './objects.ts'

/** Records the quarantine key of an infected object. Returns false if the object is no longer infected. */
export async function moveToQuarantine(tx: Db, id: string, from: string, to: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update files.objects set place = 'quarantine', held_key = ${to}, quarantined_at = now()
    where id = ${id} and scan_status = 'infected' and held_key = ${from}`)
  return rowCount > 0
}

export async function listExpired(db: Db, days: number, limit: number): Promise<readonly FileObject[]> {
  return await db.any(sql.type(FileObject)`
    select ${objects.columns()} from files.objects
    where place = 'quarantine' and scan_status = 'infected' and quarantined_at <= now() - make_interval(days => ${days})
    order by quarantined_at limit ${limit}`)
}

/** Records that the bytes are about to be deleted permanently. Returns false if the object has left the quarantine. */
export async function markBytesDeleted(tx: Db, id: string, key: string): Promise<boolean> {
  const marked = await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    update files.objects set place = 'gone', held_key = null
    where id = ${id} and place = 'quarantine' and scan_status = 'infected' and held_key = ${key} returning id`)
  return marked !== null
}
