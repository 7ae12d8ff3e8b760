import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'
import { defaults } from './chats.ts'

export const Role = z.enum(['viewer', 'moderator', 'host'])

/** Days for which messages of a channel are kept. A channel without settings has the default. */
const keptDays = sql.fragment`
  coalesce((select t.keep_days from live.chats as t where t.channel_id = old.channel_id), ${defaults.keep_days})`

export const table = defineTable(
  'live',
  'chat_messages',
  z.object({
    id: Id,
    org_id: Id,
    channel_id: Id,
    broadcast_id: Id.nullable(),
    person_id: Id.nullable(),
    name: z.string(),
    role: Role,
    text: z.string(),
    created_at: z.date(),
    deleted_at: z.date().nullable(),
    deleted_by: z.string().nullable(),
  }),
  { retention: days(365, 'created_at', { sooner: keptDays }) },
)

export type ChatMessage = z.infer<typeof table.Row>

const WithIdentity = table.Row.extend({ identity: z.string().nullable() })

export type ChatMessageWithIdentity = z.infer<typeof WithIdentity>

const columns = table.columns()

export const filters = {
  personId: table.equals('person_id', 'm'),
  broadcastId: table.equals('broadcast_id', 'm'),
  role: table.equals('role', 'm'),
}

/** Stores a message. It belongs to the broadcast that is live. */
export async function insert(
  tx: Db,
  message: Pick<ChatMessage, 'id' | 'org_id' | 'channel_id' | 'person_id' | 'name' | 'role' | 'text'>,
): Promise<ChatMessage> {
  const broadcast = sql.fragment`(
    select id from live.broadcasts
    where channel_id = ${message.channel_id} and live_at is not null and ended_at is null
    order by id desc limit 1)`
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ ...message, broadcast_id: broadcast })} returning ${columns}`)
}

/** Returns the last messages that were not deleted, oldest first. */
export async function listLast(db: Db, channelId: string, limit: number): Promise<readonly ChatMessage[]> {
  const rows = await db.any(sql.type(table.Row)`
    select ${columns} from live.chat_messages where channel_id = ${channelId} and deleted_at is null
    order by id desc limit ${limit}`)
  return rows.toReversed()
}

export async function list(
  db: Db,
  orgId: string,
  channelId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ChatMessageWithIdentity[]> {
  return await db.any(sql.type(WithIdentity)`
    select ${getColumns(table.Row, 'm')}, p.identity
    from live.chat_messages as m left join live.chat_people as p on p.id = m.person_id
    where m.channel_id = ${channelId} and m.org_id = ${orgId} and ${isOlder(before, ['m', 'id'])} and ${where}
    order by m.id desc limit ${limit}`)
}

/** Deletes the text of a message. With `personId`, only of a message of this person. Returns false if there is none. */
export async function remove(
  tx: Db,
  channelId: string,
  id: string,
  { by, personId }: { by: string; personId?: string | undefined },
): Promise<boolean> {
  const own = personId === undefined ? sql.fragment`true` : sql.fragment`person_id = ${personId}`
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update live.chat_messages set deleted_at = now(), deleted_by = ${by}, text = ''
    where id = ${id} and channel_id = ${channelId} and deleted_at is null and ${own}`)
  return rowCount === 1
}

/** Deletes the texts of all messages of a person. */
export async function removeOfPerson(tx: Db, personId: string, by: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update live.chat_messages set deleted_at = now(), deleted_by = ${by}, text = ''
    where person_id = ${personId} and deleted_at is null`)
}
