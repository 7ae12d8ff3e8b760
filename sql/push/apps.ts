import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'push',
  'apps',
  z.object({ id: Id, org_id: Id, name: z.string(), created_at: z.date() }),
)

export type App = z.infer<typeof table.Row>

const columns = table.columns()

export async function insert(tx: Db, app: Pick<App, 'id' | 'org_id' | 'name'>): Promise<App> {
  return await tx.one(sql.type(table.Row)`${table.insert(app)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<App | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.apps where id = ${id} and org_id = ${orgId}`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, App>> {
  const rows = await db.any(sql.type(table.Row)`
    select ${columns} from push.apps where id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(rows.map((row) => [row.id, row]))
}

export async function list(
  db: Db,
  orgId: string,
  { only, before, limit }: { only: string | undefined; before: string | undefined; limit: number },
): Promise<readonly App[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from push.apps
    where org_id = ${orgId} and (${only ?? null}::uuid is null or id = ${only ?? null})
      and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

export async function rename(db: Db, orgId: string, id: string, name: string): Promise<App | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update push.apps set name = ${name} where id = ${id} and org_id = ${orgId} returning ${columns}`)
}

export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from push.apps where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}
