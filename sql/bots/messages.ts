import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Int4 } from '#lib/input-types.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** A quote in an answer. */
export const Citation = z.object({
  document_id: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  quote: z.string(),
  start: z.number(),
  end: z.number(),
})

/** Why there is no answer. */
export const AnswerError = z.object({
  code: z.enum([
    'upstream_error',
    'provider_not_configured',
    'input_too_long',
    'content_refused',
    'token_budget_exceeded',
  ]),
  upstream_status: z.number().nullable(),
  retryable: z.boolean(),
})

/** Why there is no answer. */
export type AnswerError = z.infer<typeof AnswerError>

/** What an answer cost. */
export const Usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
})

/** Questions and answers. */
export const table = defineTable(
  'bots',
  'messages',
  z.object({
    id: Id,
    org_id: Id,
    bot_id: Id,
    conversation_id: Id,
    seq: z.number(),
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    status: z.enum(['pending', 'completed', 'failed']),
    metadata: z.record(z.string(), z.string()).nullable(),
    streamed: z.boolean(),
    try: z.number(),
    generation: z.number(),
    citations: z.array(Citation),
    finish_reason: z.enum(['stop', 'length', 'content_filter']).nullable(),
    engine: z.enum(['upstream', 'embedded']).nullable(),
    model: z.string().nullable(),
    usage: Usage.nullable(),
    author: z.string().nullable(),
    error: AnswerError.nullable(),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

/** A question or an answer. */
export type Message = z.infer<typeof table.Row>

const columns = table.columns()

/** The channel on which answers are named, by their ids, of which there is more to be read. */
export const answersChannel = 'bots_answers'

/** What names the place of a message in a conversation. */
type Place = Pick<Message, 'id' | 'org_id' | 'bot_id' | 'conversation_id' | 'seq'>

export async function insertQuestion(tx: Db, question: Place & Pick<Message, 'content' | 'metadata'>): Promise<void> {
  const row = {
    ...question,
    role: 'user' as const,
    status: 'completed' as const,
    ended_at: sql.fragment`now()` as never,
  }
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
}

export async function insertAnswer(tx: Db, answer: Place & Pick<Message, 'streamed'>): Promise<void> {
  await tx.query(
    sql.typeAlias('void')`${table.insert({ ...answer, role: 'assistant', content: '', status: 'pending' })}`,
  )
}

/** Adds a person's answer in the bot's place. */
export async function insertReply(tx: Db, reply: Place & Pick<Message, 'content' | 'author'>): Promise<Message> {
  const row = { ...reply, role: 'assistant' as const, status: 'completed' as const, ended_at: sql.fragment`now()` }
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${columns}`)
}

/** Whether the answer before another one of a conversation was the bot's fallback. */
export async function fellBackBefore(
  db: Db,
  { conversation_id, seq }: Pick<Message, 'conversation_id' | 'seq'>,
  fallback: string,
): Promise<boolean> {
  return await db.exists(sql.type(table.Row.pick({ id: true }))`
    select id from bots.messages
    where conversation_id = ${conversation_id} and seq = ${seq - 2} and role = 'assistant' and status = 'completed'
      and author is null and content = ${fallback} and citations = '[]'`)
}

/** What was asked last in a conversation. */
export async function lastQuestion(db: Db, conversationId: string): Promise<string> {
  return await db.oneFirst(sql.type(table.Row.pick({ content: true }))`
    select content from bots.messages where conversation_id = ${conversationId} and role = 'user'
    order by seq desc limit 1`)
}

/** One message, whoever's it is. */
export async function findAny(db: Db, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from bots.messages where id = ${id}`)
}

/** How many answers of a conversation are pending. */
export async function countPending(db: Db, conversationId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from bots.messages where conversation_id = ${conversationId} and status = 'pending'`)
}

/** A place in the list of messages. */
export const Position = z.tuple([Id, Int4])

/** What of the messages with a bot is asked for. */
export interface MessageQuery {
  orgId: string
  botId: string
  conversationId: string | undefined
  userId: string | undefined
  order: 'asc' | 'desc'
  /** Conversation and seq of the last message of the page before. */
  after: z.infer<typeof Position> | undefined
  limit: number
}

/** Messages of a caller with a bot, by conversation and, in each, by seq: newest first, or oldest. */
export async function list(db: Db, wanted: MessageQuery): Promise<readonly Message[]> {
  const { orgId, botId, conversationId, userId, order, after, limit } = wanted
  const [direction, beyond] =
    order === 'desc' ? [sql.fragment`desc`, sql.fragment`<`] : [sql.fragment`asc`, sql.fragment`>`]
  const [conversation, seq] = after ?? [null, 0]
  const ofUser =
    userId === undefined
      ? { from: sql.fragment``, id: sql.fragment`m.conversation_id` }
      : {
          from: sql.fragment`
            join bots.conversations as c on c.id = m.conversation_id and c.bot_id = ${botId} and c.user_id = ${userId}`,
          id: sql.fragment`c.id`,
        }
  // Conversations of a user come in the order of the list by their own index: messages of others are not walked through.
  return await db.any(sql.type(table.Row)`
    select ${table.columns('m')} from bots.messages as m ${ofUser.from}
    where m.org_id = ${orgId} and m.bot_id = ${botId}
      and (${conversationId ?? null}::uuid is null or m.conversation_id = ${conversationId ?? null})
      and (${conversation}::uuid is null or (${ofUser.id}, m.seq) ${beyond} (${conversation}::uuid, ${seq}))
    order by ${ofUser.id} ${direction}, m.seq ${direction} limit ${limit}`)
}

const ChatMessage = table.Row.pick({ role: true, content: true })

/** The messages of a conversation before a seq, newest first: questions that have no answer are left out with theirs. */
export async function listBefore(
  db: Db,
  { conversation_id, seq }: Pick<Message, 'conversation_id' | 'seq'>,
  limit: number,
): Promise<readonly z.infer<typeof ChatMessage>[]> {
  return await db.any(sql.type(ChatMessage)`
    select m.role, m.content from bots.messages as m
    join bots.messages as a on a.conversation_id = m.conversation_id and a.role = 'assistant' and a.status = 'completed'
      and a.seq = m.seq + case m.role when 'user' then 1 else 0 end
    where m.conversation_id = ${conversation_id} and m.seq < ${seq}
    order by m.seq desc limit ${limit}`)
}
