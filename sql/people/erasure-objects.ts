import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const ObjectKind = z.enum(['file', 'received_email'])

/** Stored files of an erased person, and when their bytes were deleted. */
export const table = defineTable(
  'people',
  'erasure_objects',
  z.object({ erasure_id: Id, kind: ObjectKind, object_id: Id, deleted_at: z.date().nullable() }),
)

export type ErasedObject = z.infer<typeof table.Row>

export async function add(
  tx: Db,
  erasureId: string,
  kind: ErasedObject['kind'],
  ids: readonly string[],
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into people.erasure_objects (erasure_id, kind, object_id)
    select ${erasureId}::uuid, ${kind}, id from unnest(${sql.array([...ids], 'uuid')}) as o (id) on conflict do nothing`)
}

export async function listLeft(db: Db, erasureId: string, limit: number): Promise<readonly ErasedObject[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from people.erasure_objects where erasure_id = ${erasureId} and deleted_at is null
    order by kind, object_id limit ${limit}`)
}

export async function setDeleted(db: Db, { erasure_id, kind, object_id }: ErasedObject): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update people.erasure_objects set deleted_at = now()
    where erasure_id = ${erasure_id} and kind = ${kind} and object_id = ${object_id} and deleted_at is null`)
}

const Counts = z.object({ objects: z.number(), left: z.number(), deleted_at: z.date().nullable() })

export async function count(db: Db, erasureId: string): Promise<z.infer<typeof Counts>> {
  return await db.one(sql.type(Counts)`
    select count(*) as objects, count(*) filter (where deleted_at is null) as left, max(deleted_at) as deleted_at
    from people.erasure_objects where erasure_id = ${erasureId}`)
}
