import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Int4 } from '#lib/input-types.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Citation = z.object({
  document_id: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  quote: z.string(),
  start: z.number(),
  end: z.number(),
})

export const AnswerError = z.object({
  code: z.enum([
    'upstream_error',
    'provider_not_configured',
    'input_too_long',
    'content_refused',
    'token_budget_exceeded',
    'key_budget_exceeded',
    'model_not_allowed',
    'model_without_price',
    'key_revoked',
  ]),
  upstream_status: z.number().nullable(),
  retryable: z.boolean(),
})

export type AnswerError = z.infer<typeof AnswerError>

export const Usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
})

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
    answered: z.boolean().nullable(),
    score: z.number().nullable(),
    author: z.string().nullable(),
    error: AnswerError.nullable(),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

export type Message = z.infer<typeof table.Row>

const columns = table.columns()

/** Postgres channel for answers with new text. The payload is the ID of the answer. */
export const answersChannel = 'bots_answers'

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

export async function insertReply(tx: Db, reply: Place & Pick<Message, 'content' | 'author'>): Promise<Message> {
  const row = { ...reply, role: 'assistant' as const, status: 'completed' as const, ended_at: sql.fragment`now()` }
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${columns}`)
}

export async function wasPreviousAnswerFallback(
  db: Db,
  { conversation_id, seq }: Pick<Message, 'conversation_id' | 'seq'>,
  fallback: string,
): Promise<boolean> {
  return await db.exists(sql.type(table.Row.pick({ id: true }))`
    select id from bots.messages
    where conversation_id = ${conversation_id} and seq = ${seq - 2} and role = 'assistant' and status = 'completed'
      and author is null and (answered = false or (content = ${fallback} and citations = '[]'))`)
}

export async function lastQuestion(db: Db, conversationId: string): Promise<string> {
  return await db.oneFirst(sql.type(table.Row.pick({ content: true }))`
    select content from bots.messages where conversation_id = ${conversationId} and role = 'user'
    order by seq desc limit 1`)
}

const Reply = table.Row.pick({ seq: true, author: true })

/** Returns the newest reply of a person in a conversation. Null if no person has replied. */
export async function findLastReply(db: Db, conversationId: string): Promise<z.infer<typeof Reply> | null> {
  return await db.maybeOne(sql.type(Reply)`
    select seq, author from bots.messages where conversation_id = ${conversationId} and author is not null
    order by seq desc limit 1`)
}

export async function findAny(db: Db, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from bots.messages where id = ${id}`)
}

export async function countPending(db: Db, conversationId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from bots.messages where conversation_id = ${conversationId} and status = 'pending'`)
}

export const Position = z.tuple([Id, Int4])

export interface MessageQuery {
  orgId: string
  botId: string
  conversationId: string | undefined
  userId: string | undefined
  order: 'asc' | 'desc'
  after: z.infer<typeof Position> | undefined
  limit: number
}

/** Returns messages of a caller with a bot, by conversation and then by `seq`, newest or oldest first. */
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
  // The index by user returns conversations in list order, so messages of other users are not scanned.
  return await db.any(sql.type(table.Row)`
    select ${table.columns('m')} from bots.messages as m ${ofUser.from}
    where m.org_id = ${orgId} and m.bot_id = ${botId}
      and (${conversationId ?? null}::uuid is null or m.conversation_id = ${conversationId ?? null})
      and (${conversation}::uuid is null or (${ofUser.id}, m.seq) ${beyond} (${conversation}::uuid, ${seq}))
    order by ${ofUser.id} ${direction}, m.seq ${direction} limit ${limit}`)
}

const ChatMessage = table.Row.pick({ role: true, content: true })

/** Returns the messages before a `seq`, newest first. Omits questions without an answer. */
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
