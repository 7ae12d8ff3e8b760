import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { Message, table } from './messages.ts'
import { type Reach, within } from './reach.ts'

/** Times refer to the acceptance of the message. IDs contain the time. */
export const filters = {
  status: table.equals('status', 'm'),
  stream: table.equals('stream', 'm'),
  to: table.equals('to_email', 'm'),
  from: table.equals('from_email', 'm'),
  campaign_id: table.equals('campaign_id', 'm'),
  since: (at: string) => sql.fragment`m.id >= ${firstIdAt(new Date(at))}`,
  until: (at: string) => sql.fragment`m.id < ${firstIdAt(new Date(at))}`,
  scheduled: (_: 'true') => sql.fragment`m.send_at is not null`,
}

export interface Tag {
  name: string
  value?: string | undefined
}

/** Returns messages within the reach of the key, newest first. A tag has an index in the order of the list. */
export async function list(
  db: Db,
  orgId: string,
  { where, before, limit, reach, tag }: Page<typeof filters> & { reach: Reach; tag: Tag | undefined },
): Promise<readonly Message[]> {
  return await db.any(sql.type(Message)`
    select ${table.columns('m')} from email.messages as m ${tag ? tagged(orgId, tag) : sql.fragment``}
    where m.org_id = ${orgId} and ${within('m', reach)} and ${where} and ${isOlder(before, ['m', 'id'])}
    order by m.id desc limit ${limit}`)
}

function tagged(orgId: string, { name, value }: Tag) {
  const which = value === undefined ? sql.fragment`` : sql.fragment`and t.value = ${value}`
  return sql.fragment`
    join email.message_tags as t on t.message_id = m.id and t.org_id = ${orgId} and t.name = ${name} ${which}`
}
