import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { InstallationView, table } from './installations.ts'

export async function find(db: Db, orgId: string, id: string): Promise<InstallationView | null> {
  return await db.maybeOne(sql.type(InstallationView)`
    select ${table.columns('i')}, u.user_id
    from push.installations as i join push.users as u on u.id = i.push_user_id
    where i.id = ${id} and i.org_id = ${orgId}`)
}

export async function countActive(db: Db, appIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.any(sql.type(z.object({ app_id: Id, count: z.number() }))`
    select app_id, count(*) as count from push.installations
    where app_id = any(${sql.array([...appIds], 'uuid')}) and status = 'active' group by app_id`)
  return new Map(rows.map(({ app_id, count }) => [app_id, count]))
}
