import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'identity',
  'prompts',
  z.object({
    id: Id,
    org_id: Id,
    subject: z.string(),
    requirement: z.string(),
    return_to: z.string().nullable(),
    uploads: z.number(),
    object_id: Id.nullable(),
    expires_at: z.date(),
    used_at: z.date().nullable(),
  }),
  { retention: days(1, 'expires_at') },
)

export const Prompt = table.Row

export type Prompt = z.infer<typeof Prompt>

export async function insert(
  db: Db,
  prompt: Pick<Prompt, 'org_id' | 'subject' | 'requirement' | 'return_to' | 'expires_at'>,
): Promise<Prompt> {
  return await db.one(sql.type(Prompt)`${table.insert({ id: newId(), ...prompt })} returning ${table.columns()}`)
}

export async function find(db: Db, id: string): Promise<Prompt | null> {
  return await db.maybeOne(sql.type(Prompt)`select ${table.columns()} from identity.prompts where id = ${id}`)
}

const isOpen = sql.fragment`used_at is null and expires_at > now()`

/** Removes up to `limit` uploads of unused, expired links. Returns their objects. */
export async function releaseUnusedUploads(
  tx: Db,
  limit: number,
): Promise<readonly { org_id: string; object_id: string }[]> {
  return await tx.any(sql.type(z.object({ org_id: Id, object_id: Id }))`
    with over as (
      select id, org_id, object_id from identity.prompts
      where expires_at <= now() and used_at is null and object_id is not null
      order by expires_at limit ${limit} for update skip locked)
    update identity.prompts as p set object_id = null from over where p.id = over.id
    returning over.org_id, over.object_id`)
}

export async function lock(tx: Db, id: string): Promise<Prompt | null> {
  return await tx.maybeOne(sql.type(Prompt)`
    select ${table.columns()} from identity.prompts where id = ${id} for update`)
}

/**
 * Records the start of an upload. Returns `null` if the prompt was used, has expired, or has reached its limit of
 * uploads.
 */
export async function beginUpload(tx: Db, id: string, objectId: string, most: number): Promise<Prompt | null> {
  return await tx.maybeOne(sql.type(Prompt)`
    update identity.prompts set uploads = uploads + 1, object_id = ${objectId}
    where id = ${id} and uploads < ${most} and ${isOpen} returning ${table.columns()}`)
}

export async function use(tx: Db, id: string): Promise<Prompt | null> {
  return await tx.maybeOne(sql.type(Prompt)`
    update identity.prompts set used_at = now() where id = ${id} and ${isOpen} returning ${table.columns()}`)
}
