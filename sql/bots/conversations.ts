import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'conversations',
  z.object({
    id: Id,
    org_id: Id,
    bot_id: Id,
    bot_version: z.number(),
    user_id: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    last_seq: z.number(),
    closed_at: z.date().nullable(),
    language: z.string().nullable(),
    visitor_name: z.string().nullable(),
    visitor_email: z.string().nullable(),
    rateable_at: z.date().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
    channel_id: Id.nullable(),
    contact: z.string().nullable(),
    contact_verified: z.boolean(),
  }),
  {
    retention: days('BOTS_RETENTION_DAYS', 'updated_at', {
      sooner: sql.fragment`(select retention_days from bots.bots where id = old.bot_id)`,
      batch: 500,
    }),
  },
)

export type Conversation = z.infer<typeof table.Row>

const columns = table.columns()

export async function insert(
  tx: Db,
  conversation: Pick<Conversation, 'id' | 'org_id' | 'bot_id' | 'bot_version' | 'user_id' | 'variables'> &
    Partial<Pick<Conversation, 'language' | 'channel_id' | 'contact' | 'contact_verified'>>,
): Promise<Conversation> {
  return await tx.one(sql.type(table.Row)`${table.insert({ ...conversation, last_seq: 2 })} returning ${columns}`)
}

/**
 * Identifies a conversation of a caller. Conversations of other organisations and users are not found. `userId` is
 * `null` for a visitor of a web page, who finds only conversations without a user and without a channel. Undefined
 * means any user.
 */
export interface ConversationRef {
  orgId: string
  botId: string
  id: string
  userId: string | null | undefined
}

const named = ({ orgId, botId, id, userId }: ConversationRef) => sql.fragment`
  id = ${id} and org_id = ${orgId} and bot_id = ${botId}
  and (${userId === undefined} or user_id is not distinct from ${userId ?? null})
  and (${userId !== null} or channel_id is null)`

/**
 * Reserves the next two numbers of a conversation, for a question and its answer. Returns `null` if the conversation
 * does not belong to the caller. Locks the row until the transaction ends, so that numbers become visible in order.
 */
export async function reserveQuestionAndAnswer(tx: Db, conversation: ConversationRef): Promise<Conversation | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update bots.conversations set last_seq = last_seq + 2, updated_at = now()
    where ${named(conversation)} returning ${columns}`)
}

/**
 * Returns the open conversation of a contact with a message within `silenceHours`. Returns `null` if there is none.
 * The caller must hold the lock of the contact.
 */
export async function lockOfContact(
  tx: Db,
  {
    channel_id,
    contact,
    contact_verified,
  }: Pick<Conversation, 'contact_verified'> & { channel_id: string; contact: string },
  silenceHours: number,
): Promise<Conversation | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.conversations
    where channel_id = ${channel_id} and contact = ${contact} and contact_verified = ${contact_verified}
      and closed_at is null and updated_at > now() - ${silenceHours}::integer * interval '1 hour'
    order by id desc limit 1 for no key update`)
}

export async function find(db: Db, conversation: ConversationRef): Promise<Conversation | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from bots.conversations where ${named(conversation)}`)
}

/** Returns a conversation, locked until the transaction ends. Returns `null` if it does not belong to the caller. */
export async function lock(tx: Db, conversation: ConversationRef): Promise<Conversation | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.conversations where ${named(conversation)} for no key update`)
}

/** Releases the number after a question that no bot answers. The caller must hold the lock. */
export async function releaseAnswerSeq(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update bots.conversations set last_seq = last_seq - 1 where id = ${id}`)
}

/** Reserves the next number for a person's reply. The caller must hold the lock. */
export async function reserveReply(tx: Db, id: string): Promise<Conversation> {
  return await tx.one(sql.type(table.Row)`
    update bots.conversations set last_seq = last_seq + 1, updated_at = now() where id = ${id} returning ${columns}`)
}

/** Closes a conversation. The caller must hold the lock. */
export async function close(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update bots.conversations
    set closed_at = coalesce(closed_at, now()), rateable_at = case when closed_at is null then now() else rateable_at end
    where id = ${id}`)
}

/** Allows the visitor to rate the conversation. The caller must hold the lock. */
export async function makeRateable(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update bots.conversations set rateable_at = now() where id = ${id}`)
}

/** Stores how a visitor can be reached. Undefined keeps a value. The caller must hold the lock. */
export async function setContact(
  tx: Db,
  id: string,
  contact: { visitor_name?: string | null | undefined; visitor_email?: string | null | undefined },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`update bots.conversations set ${table.set(contact)} where id = ${id}`)
}

/** Stores the language of a visitor. */
export async function setLanguage(tx: Db, id: string, language: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update bots.conversations set language = ${language} where id = ${id}`)
}

const Listed = table.Row.pick({
  id: true,
  user_id: true,
  contact: true,
  closed_at: true,
  created_at: true,
  updated_at: true,
}).extend({
  question: z.string(),
  messages: z.number(),
  unanswered: z.number(),
  handed_over: z.boolean(),
})

/** A conversation with its first question and its number of messages. */
export type Listed = z.infer<typeof Listed>

/**
 * Returns the conversations of an organisation with a bot, newest first. An answer is `unanswered` if it failed or if it
 * is the fallback without a quote.
 */
export async function list(
  db: Db,
  { orgId, botId }: Pick<ConversationRef, 'orgId' | 'botId'>,
  { before, limit }: Part,
): Promise<readonly Listed[]> {
  return await db.any(sql.type(Listed)`
    with recursive found (id, n) as (
      (select conversation_id, 1 from bots.messages
        where org_id = ${orgId} and bot_id = ${botId}
          and (${before ?? null}::uuid is null or conversation_id < ${before ?? null})
        order by conversation_id desc limit 1)
      union all
      select (select m.conversation_id from bots.messages as m
        where m.org_id = ${orgId} and m.bot_id = ${botId} and m.conversation_id < f.id
        order by m.conversation_id desc limit 1), f.n + 1
      from found as f where f.id is not null and f.n < ${limit}
    )
    select c.id, c.user_id, c.contact, c.closed_at, c.created_at, c.updated_at, q.content as question, a.messages, a.unanswered,
      exists (select from bots.handovers as h where h.conversation_id = c.id) as handed_over
    from found as f join bots.conversations as c on c.id = f.id
    join bots.versions as v on v.bot_id = c.bot_id and v.version = c.bot_version
    join lateral (
      select content from bots.messages where conversation_id = c.id and role = 'user' order by seq limit 1) as q on true
    join lateral (
      select count(*)::int4 as messages, (count(*) filter (where m.role = 'assistant' and (m.status = 'failed'
        or (m.author is null and (m.answered = false or (m.citations = '[]' and m.content = v.fallback))))))::int4 as unanswered
      from bots.messages as m where m.conversation_id = c.id) as a on true
    order by c.id desc`)
}
