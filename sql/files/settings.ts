import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { type Owner, owned, type Visibility } from './objects.ts'

const ofObject = (id: string, owner: Owner) => sql.fragment`id = ${id} and version_of is null and ${owned(owner)}`

/** Sets the visibility of all versions of a locked object. */
export async function setVisibility(tx: Db, id: string, visibility: Visibility): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update files.objects set visibility = ${visibility}
    where (id = ${id} or version_of = ${id}) and deleted_at is null and visibility <> ${visibility}`)
}

/** Revokes all signed URLs of an object. Returns false if the object does not exist. */
export async function revokeUrls(tx: Db, owner: Owner, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update files.objects set url_generation = url_generation + 1 where ${ofObject(id, owner)}`)
  return rowCount === 1
}

/** Returns the generation that signed URLs of an object have now. `null` if the object does not exist. */
export async function findUrlGeneration(db: Db, owner: Owner, id: string): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ url_generation: z.number() }))`
    select url_generation from files.objects where ${ofObject(id, owner)}`)
}
