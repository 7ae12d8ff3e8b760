import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const Fault = z.enum(['damaged', 'too_many_pixels', 'too_complex'])

export type Fault = z.infer<typeof Fault>

/** Facts of the images among the objects, by version. */
export const table = defineTable(
  'files',
  'images',
  z.object({
    object_id: Id,
    org_id: Id,
    width: z.int().nullable(),
    height: z.int().nullable(),
    frames: z.int().nullable(),
    alpha: z.boolean().nullable(),
    blurhash: z.string().nullable(),
    fault: Fault.nullable(),
    strikes: z.int(),
    created_at: z.date(),
  }),
)

export const Image = table.Row

export type Image = z.infer<typeof Image>

/** Number of times that the engine can fail on an image before the image counts as too complex. */
const mostStrikes = 3

export async function find(db: Db, objectId: string): Promise<Image | null> {
  return await db.maybeOne(sql.type(Image)`select ${table.columns()} from files.images where object_id = ${objectId}`)
}

type Measured = Pick<Image, 'width' | 'height' | 'frames' | 'alpha' | 'blurhash'>

/** Stores the facts, or the fault, of a version that is not deleted. */
export async function put(
  db: Db,
  object: { id: string; org_id: string },
  found: Measured | { fault: Fault },
): Promise<void> {
  const values = { width: null, height: null, frames: null, alpha: null, blurhash: null, fault: null, ...found }
  await db.query(sql.typeAlias('void')`
    ${table.insert({ object_id: object.id, org_id: object.org_id, ...values })}
    on conflict (object_id) do update set ${table.set(values)}`)
}

/** Records that the engine took too long or crashed. The third time, the image is too complex. */
export async function strike(db: Db, object: { id: string; org_id: string }): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into files.images as i (object_id, org_id, strikes) values (${object.id}, ${object.org_id}, 1)
    on conflict (object_id) do update set strikes = i.strikes + 1,
      fault = case when i.strikes + 1 >= ${mostStrikes} then coalesce(i.fault, 'too_complex') else i.fault end`)
}
