import { z } from 'zod'
import { type Db, sql } from '../db.ts'

const Publisher = z.object({ name: z.string(), brand_color: z.string().nullable() })

/** The organisation that a public page names, with the colour of its buttons and links. */
export type Publisher = z.infer<typeof Publisher>

export async function find(db: Db, orgId: string): Promise<Publisher | null> {
  return await db.maybeOne(sql.type(Publisher)`select name, brand_color from account.orgs where id = ${orgId}`)
}

/** Returns the publisher of a public video, channel or playlist. */
export async function findOf(
  db: Db,
  table: 'videos' | 'channels' | 'playlists',
  id: string,
): Promise<Publisher | null> {
  return await db.maybeOne(sql.type(Publisher)`
    select o.name, o.brand_color from ${sql.identifier(['directory', table])} as d
    join account.orgs as o on o.id = d.org_id where d.id = ${id}`)
}

export async function setColor(tx: Db, orgId: string, color: string | null): Promise<void> {
  await tx.query(sql.typeAlias('void')`update account.orgs set brand_color = ${color} where id = ${orgId}`)
}
