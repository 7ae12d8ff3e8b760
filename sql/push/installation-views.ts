import { type Db, sql } from '../db.ts'
import { InstallationView, table } from './installations.ts'

export async function find(db: Db, orgId: string, id: string): Promise<InstallationView | null> {
  return await db.maybeOne(sql.type(InstallationView)`
    select ${table.columns('i')}, u.user_id
    from push.installations as i join push.users as u on u.id = i.push_user_id
    where i.id = ${id} and i.org_id = ${orgId}`)
}
