import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'video',
  'embedding',
  z.object({ org_id: Id, origins: z.array(z.string()), updated_at: z.date() }),
)

const Origins = table.Row.pick({ origins: true })

export async function find(db: Db, orgId: string): Promise<string[]> {
  return (
    (await db.maybeOne(sql.type(Origins)`select origins from video.embedding where org_id = ${orgId}`))?.origins ?? []
  )
}

export async function set(tx: Db, orgId: string, origins: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into video.embedding (org_id, origins) values (${orgId}, ${sql.array([...origins], 'text')})
    on conflict (org_id) do update set origins = excluded.origins, updated_at = now()`)
}
