import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import { Color } from './labels.ts'

export const table = defineTable(
  'bots',
  'handovers',
  z.object({
    conversation_id: Id,
    id: Id,
    org_id: Id,
    bot_id: Id,
    reason: z.enum(['asked', 'unanswered', 'requested', 'channel']),
    note: z.string().nullable(),
    last_message: z.string(),
    waits: z.boolean(),
    assignee_id: Id.nullable(),
    assigned_at: z.date().nullable(),
    after_hours: z.boolean(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Handover = z.infer<typeof table.Row>

const columns = table.columns()

/** Starts a handover. Returns `null` if a handover is already in progress. */
export async function insert(
  tx: Db,
  handover: Pick<
    Handover,
    'id' | 'conversation_id' | 'org_id' | 'bot_id' | 'reason' | 'note' | 'last_message' | 'after_hours'
  >,
): Promise<Handover | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert(handover)} on conflict (conversation_id) do nothing returning ${columns}`)
}

export async function find(db: Db, orgId: string, conversationId: string): Promise<Handover | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.handovers where conversation_id = ${conversationId} and org_id = ${orgId}`)
}

export async function updateLastMessage(
  tx: Db,
  conversationId: string,
  message: string,
  waits: boolean,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update bots.handovers set last_message = ${message}, waits = ${waits}, updated_at = now()
    where conversation_id = ${conversationId}`)
}

/** Assigns a conversation. The caller must hold the locks of the conversation and of the member. */
export async function assign(tx: Db, conversationId: string, assigneeId: string | null): Promise<Handover> {
  return await tx.one(sql.type(table.Row)`
    update bots.handovers set assignee_id = ${assigneeId}, assigned_at = case when ${assigneeId}::uuid is null then null else now() end
    where conversation_id = ${conversationId} returning ${columns}`)
}

export async function remove(tx: Db, conversationId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from bots.handovers where conversation_id = ${conversationId}`)
  return rowCount === 1
}

const Listed = table.Row.extend({
  bot_name: z.string(),
  user_id: z.string().nullable(),
  channel_id: Id.nullable(),
  contact: z.string().nullable(),
  contact_verified: z.boolean(),
  visitor_name: z.string().nullable(),
  visitor_email: z.string().nullable(),
  assignee_name: z.string().nullable(),
  labels: z.array(z.object({ id: Id, name: z.string(), color: Color })),
})

export type Listed = z.infer<typeof Listed>

export const filters = {
  bot_id: table.equals('bot_id', 'h'),
  assignee_id: (id: string) =>
    id === 'none' ? sql.fragment`h.assignee_id is null` : sql.fragment`h.assignee_id = ${id}`,
  waits: table.equals('waits', 'h'),
  after_hours: table.equals('after_hours', 'h'),
}

/** Returns conversations with a person, newest handover first. `labelId` returns only conversations with the label. */
export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
  labelId?: string,
): Promise<readonly Listed[]> {
  const [from, id] =
    labelId === undefined
      ? [sql.fragment`bots.handovers as h`, ['h', 'id'] as const]
      : [
          sql.fragment`bots.conversation_labels as l
            join bots.handovers as h on l.label_id = ${labelId} and h.id = l.handover_id`,
          ['l', 'handover_id'] as const,
        ]
  return await db.any(sql.type(Listed)`
    select ${table.columns('h')}, b.name as bot_name, c.user_id, c.channel_id, c.contact,
      c.contact_verified, c.visitor_name, c.visitor_email,
      (select coalesce(nullif(u.name, ''), u.email) from account.users as u where u.id = h.assignee_id) as assignee_name,
      coalesce((select json_agg(json_build_object('id', n.id, 'name', n.name, 'color', n.color) order by n.id)
        from bots.conversation_labels as k join bots.labels as n on n.id = k.label_id
        where k.conversation_id = h.conversation_id), '[]') as labels
    from ${from} join bots.bots as b on b.id = h.bot_id join bots.conversations as c on c.id = h.conversation_id
    where h.org_id = ${orgId} and ${where} and ${isOlder(before, id)}
    order by ${sql.identifier([...id])} desc limit ${limit}`)
}
