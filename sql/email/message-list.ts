import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { Message, type Status, type Stream, table } from './messages.ts'
import { type Reach, within } from './reach.ts'

/** Times refer to the acceptance of the message. */
export interface ListFilter {
  status?: Status | undefined
  stream?: Stream | undefined
  to?: string | undefined
  from?: string | undefined
  campaignId?: string | undefined
  tag?: { name: string; value?: string | undefined } | undefined
  since?: Date | undefined
  until?: Date | undefined
  scheduled?: boolean | undefined
}

/** Returns messages within the reach of the key, newest first. IDs contain the time. */
export async function list(
  db: Db,
  orgId: string,
  { before, limit, reach, ...filter }: ListFilter & { reach: Reach; before: string | undefined; limit: number },
): Promise<readonly Message[]> {
  const { status, stream, to, from, campaignId, tag, since, until, scheduled } = filter
  const wanted = [
    sql.fragment`m.org_id = ${orgId}`,
    within('m', reach),
    ...(status ? [sql.fragment`m.status = ${status}`] : []),
    ...(stream ? [sql.fragment`m.stream = ${stream}`] : []),
    ...(to ? [sql.fragment`m.to_email = ${to}`] : []),
    ...(from ? [sql.fragment`m.from_email = ${from}`] : []),
    ...(campaignId ? [sql.fragment`m.campaign_id = ${campaignId}`] : []),
    ...(since ? [sql.fragment`m.id >= ${firstIdAt(since)}`] : []),
    ...(until ? [sql.fragment`m.id < ${firstIdAt(until)}`] : []),
    ...(scheduled ? [sql.fragment`m.send_at is not null`] : []),
    ...(before ? [sql.fragment`m.id < ${before}`] : []),
  ]
  return await db.any(sql.type(Message)`
    select ${table.columns('m')} from email.messages as m ${tag ? tagged(orgId, tag) : sql.fragment``}
    where ${sql.join(wanted, sql.fragment` and `)} order by m.id desc limit ${limit}`)
}

function tagged(orgId: string, { name, value }: NonNullable<ListFilter['tag']>) {
  const which = value === undefined ? sql.fragment`` : sql.fragment`and t.value = ${value}`
  return sql.fragment`
    join email.message_tags as t on t.message_id = m.id and t.org_id = ${orgId} and t.name = ${name} ${which}`
}
