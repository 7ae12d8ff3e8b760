import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'files',
  'image_variants',
  z.object({
    id: Id,
    org_id: Id,
    object_id: Id,
    recipe: z.string(),
    state: z.enum(['making', 'made', 'original', 'failed']),
    fault: z.string().nullable(),
    content_type: z.string().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    byte_size: z.number(),
    created_at: z.date(),
    used_at: z.date(),
  }),
)

export const Variant = table.Row

export type Variant = z.infer<typeof Variant>

/** Channel that receives the ID of each variant that has ended. */
export const variantsChannel = 'files_variants'

/** Maximum number of variants of a version. A new one replaces the one that was not used for the longest time. */
export const maxVariants = 200

/** Maximum number of bytes of the variants of a version, because visitors choose sizes and formats. */
export const maxVariantBytes = 256 * 2 ** 20

const columns = table.columns()

export async function find(db: Db, objectId: string, recipe: string): Promise<Variant | null> {
  return await db.maybeOne(sql.type(Variant)`
    select ${columns} from files.image_variants where object_id = ${objectId} and recipe = ${recipe}`)
}

export async function findById(db: Db, id: string): Promise<Variant | null> {
  return await db.maybeOne(sql.type(Variant)`select ${columns} from files.image_variants where id = ${id}`)
}

export async function list(db: Db, objectId: string): Promise<readonly Variant[]> {
  return await db.any(sql.type(Variant)`
    select ${columns} from files.image_variants where object_id = ${objectId} and state in ('made', 'original')
    order by id desc limit ${maxVariants}`)
}

/** Adds a variant with the state `making`. Returns `null` if another request has added it. */
export async function insert(tx: Db, of: Pick<Variant, 'org_id' | 'object_id' | 'recipe'>): Promise<Variant | null> {
  return await tx.maybeOne(sql.type(Variant)`
    ${table.insert({ id: newId(), ...of })} on conflict (object_id, recipe) do nothing returning ${columns}`)
}

const isOfCleanObject = sql.fragment`exists (
  select from files.objects as o where o.id = v.object_id and o.scan_status = 'clean' and o.deleted_at is null)`

const notified = sql.fragment`pg_notify(${variantsChannel}, v.id::text) as notified`

const Notified = z.object({ notified: z.unknown() })

type Made = Pick<Variant, 'content_type' | 'width' | 'height' | 'byte_size'>

/** Ends a variant whose bytes are stored. Returns false if it is no longer needed, or its object is not clean. */
export async function setMade(tx: Db, id: string, made: Made): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(Notified)`
    update files.image_variants as v set ${table.set({ ...made, state: 'made' })}
    where v.id = ${id} and v.state = 'making' and ${isOfCleanObject} returning ${notified}`)
  return rowCount > 0
}

/** Fault of a variant that exceeds the storage of the organisation. The next request tries again. */
export const storageFault = 'storage_full'

/** Ends a variant whose bytes exceed the storage. Called in the transaction of `setMade`. */
export async function refuse(tx: Db, id: string): Promise<void> {
  await tx.query(sql.type(Notified)`
    update files.image_variants as v set ${table.set({ state: 'failed', fault: storageFault, byte_size: 0 })}
    where v.id = ${id} returning ${notified}`)
}

/** Starts a variant again that exceeded the storage. Returns false if another request has. */
export async function restart(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update files.image_variants set state = 'making', fault = null, created_at = now()
    where id = ${id} and fault = ${storageFault}`)
  return rowCount > 0
}

export async function setOriginal(db: Db, id: string): Promise<void> {
  await db.query(sql.type(Notified)`
    update files.image_variants as v set state = 'original' where v.id = ${id} and v.state = 'making' returning ${notified}`)
}

export async function setFailed(db: Db, id: string, fault: string): Promise<void> {
  await db.query(sql.type(Notified)`
    update files.image_variants as v set state = 'failed', fault = ${fault}
    where v.id = ${id} and v.state = 'making' returning ${notified}`)
}

/** Deletes a variant that was not made, so that the next request tries again. */
export async function forget(db: Db, id: string): Promise<void> {
  await db.query(sql.type(Notified)`
    delete from files.image_variants as v where v.id = ${id} and v.state = 'making' returning ${notified}`)
}

export async function remove(db: Db, objectId: string, recipe: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from files.image_variants where object_id = ${objectId} and recipe = ${recipe} and state <> 'making'`)
}

export async function markUsed(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update files.image_variants set used_at = now()
    where id = any(${sql.array([...ids], 'uuid')}) and used_at < now() - interval '1 day'`)
}

const Gone = Variant.pick({ id: true, object_id: true })

export type Gone = z.infer<typeof Gone>

/** Deletes the least recently used variants above the maximums of a version. Returns them, because bytes remain. */
export async function trim(tx: Db, objectId: string): Promise<readonly Gone[]> {
  return await tx.any(sql.type(Gone)`
    delete from files.image_variants where id in (
      select id from (
        select id, row_number() over newest as number, sum(byte_size) over newest as bytes
        from files.image_variants where object_id = ${objectId} and state <> 'making'
        window newest as (order by used_at desc, id desc rows unbounded preceding)) as ranked
      where number >= ${maxVariants} or bytes > ${maxVariantBytes})
    returning id, object_id`)
}

/** Deletes variants that were not used for `days` days, and variants that were never created. */
export async function deleteUnused(tx: Db, days: number, limit: number): Promise<readonly Gone[]> {
  return await tx.any(sql.type(Gone)`
    delete from files.image_variants where id = any(array(
      select id from files.image_variants
      where used_at < now() - make_interval(days => ${days}) order by used_at limit ${limit} for update skip locked))
    returning id, object_id`)
}

/** Deletes all variants of a version. */
export async function deleteAll(db: Db, objectId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from files.image_variants where object_id = ${objectId}`)
}

const Lookup = z.object({
  object_id: Id,
  recipe: z.string(),
  fault: z.string().nullable(),
  variant: Variant.extend({ created_at: z.string(), used_at: z.string() }).nullable(),
})

export type Lookup = z.infer<typeof Lookup>

/** Looks up many variants, and the faults of their images, in one statement. */
export async function lookUp(
  db: Db,
  wanted: readonly { objectId: string; recipe: string }[],
): Promise<readonly Lookup[]> {
  return await db.any(sql.type(Lookup)`
    select w.object_id, w.recipe, i.fault, to_json(v) as variant
    from ${sql.unnest(
      wanted.map(({ objectId, recipe }) => [objectId, recipe]),
      ['uuid', 'text'],
    )} as w (object_id, recipe)
      left join files.image_variants as v on v.object_id = w.object_id and v.recipe = w.recipe
        and v.fault is distinct from ${storageFault}
      left join files.images as i on i.object_id = w.object_id`)
}
