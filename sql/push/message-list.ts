import { type Db, sql } from '../db.ts'
import { type Message, table } from './messages.ts'
import type { Target } from './targets.ts'

export interface ListFilter {
  appId: string | undefined
  userId: string | undefined
  target: Exclude<Target, 'user'> | undefined
  before: string | undefined
  limit: number
}

export async function list(db: Db, orgId: string, filter: ListFilter): Promise<readonly Message[]> {
  const { appId = null, userId = null, target = null, before = null, limit } = filter
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from push.messages
    where org_id = ${orgId} and (${appId}::uuid is null or app_id = ${appId})
      and (${userId}::text is null or user_id = ${userId})
      and (${target}::text is null or target = ${target})
      and (${before}::uuid is null or id < ${before})
    order by id desc limit ${limit}`)
}
