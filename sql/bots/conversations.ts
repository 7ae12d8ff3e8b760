import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
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
    created_at: z.date(),
    updated_at: z.date(),
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
  conversation: Pick<Conversation, 'id' | 'org_id' | 'bot_id' | 'bot_version' | 'user_id' | 'variables'>,
): Promise<Conversation> {
  return await tx.one(sql.type(table.Row)`${table.insert({ ...conversation, last_seq: 2 })} returning ${columns}`)
}

/**
 * Identifies a conversation of a caller. Conversations of other organisations and users are not found. `userId` is
 * `null` for a conversation without a user, for example on web pages. Undefined means any user.
 */
export interface ConversationRef {
  orgId: string
  botId: string
  id: string
  userId: string | null | undefined
}

const named = ({ orgId, botId, id, userId }: ConversationRef) => sql.fragment`
  id = ${id} and org_id = ${orgId} and bot_id = ${botId}
  and (${userId === undefined} or user_id is not distinct from ${userId ?? null})`

/**
 * Reserves the next two numbers of a conversation, for a question and its answer. Returns `null` if the conversation
 * does not belong to the caller. Locks the row until the transaction ends, so that numbers become visible in order.
 */
export async function reserveQuestionAndAnswer(tx: Db, conversation: ConversationRef): Promise<Conversation | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update bots.conversations set last_seq = last_seq + 2, updated_at = now()
    where ${named(conversation)} returning ${columns}`)
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
    update bots.conversations set closed_at = coalesce(closed_at, now()) where id = ${id}`)
}
