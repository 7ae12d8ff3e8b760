import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page } from '../filters.ts'
import { type Message, table } from './messages.ts'

export const filters = {
  app_id: table.equals('app_id'),
  user_id: table.equals('user_id'),
  target: table.equals('target'),
}

/** Lists messages, newest first. `onlyApp` is the app to which the key is restricted. */
export async function list(
  db: Db,
  orgId: string,
  { where, onlyApp, before, limit }: Page<typeof filters> & { onlyApp?: string | undefined },
): Promise<readonly Message[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from push.messages
    where org_id = ${orgId} and ${onlyApp === undefined ? everything : sql.fragment`app_id = ${onlyApp}`} and ${where}
      and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
