import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { type AnswerError, answersChannel, type Message, table } from './messages.ts'

const StartedAnswer = table.Row.pick({
  id: true,
  org_id: true,
  bot_id: true,
  conversation_id: true,
  seq: true,
  streamed: true,
  generation: true,
}).extend({
  question: z.string(),
  user_id: z.string().nullable(),
  bot_version: z.number(),
  variables: z.record(z.string(), z.string()),
})

export type StartedAnswer = z.infer<typeof StartedAnswer>

export type AnswerJob = Pick<Message, 'id' | 'try'>

/**
 * Starts a pending answer. After this call, no earlier attempt can end the answer. Returns `null` if the answer has
 * ended or was deleted. Returns `waits` while an earlier answer of the conversation is pending.
 */
export async function begin(db: Db, { id, try: nth }: AnswerJob): Promise<StartedAnswer | 'waits' | null> {
  const begun = await db.maybeOne(sql.type(StartedAnswer)`
    update bots.messages as m set generation = m.generation + 1
    from bots.conversations as c, bots.messages as q
    where m.id = ${id} and m.status = 'pending' and m.try = ${nth} and c.id = m.conversation_id
      and q.conversation_id = m.conversation_id and q.seq = m.seq - 1
      and not exists (
        select from bots.messages as e
        where e.conversation_id = m.conversation_id and e.seq < m.seq and e.status = 'pending')
    returning m.id, m.org_id, m.bot_id, m.conversation_id, m.seq, m.streamed, m.generation, q.content as question,
      c.user_id, c.bot_version, c.variables`)
  if (begun) return begun
  const pending = await db.exists(sql.type(table.Row.pick({ id: true }))`
    select id from bots.messages where id = ${id} and status = 'pending' and try = ${nth}`)
  return pending ? 'waits' : null
}

const notified = (id: string) => sql.fragment`pg_notify(${answersChannel}, ${id})`

const NotifyRow = z.object({ notified: z.unknown() })

/** Adds text for requests that follow an answer. Returns false if another attempt has the answer or it has ended. */
export async function addChunk(
  db: Db,
  { id, generation }: Pick<Message, 'id' | 'generation'>,
  n: number,
  text: string,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(NotifyRow)`
    with added as (
      insert into bots.chunks (message_id, generation, n, text)
      select id, ${generation}::int, ${n}::int, ${text} from bots.messages
      where id = ${id} and status = 'pending' and generation = ${generation}
      returning message_id
    )
    select ${notified(id)} as notified from added`)
  return rowCount > 0
}

export type Ending = Pick<
  Message,
  'content' | 'citations' | 'finish_reason' | 'engine' | 'model' | 'usage' | 'answered' | 'score'
>

/** Ends an answer. Returns false and writes nothing if another attempt has the answer or it has ended. */
export async function complete(
  tx: Db,
  { id, generation }: Pick<Message, 'id' | 'generation'>,
  { content, citations, finish_reason, engine, model, usage, answered, score }: Ending,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(NotifyRow)`
    with ended as (
      update bots.messages set status = 'completed', ended_at = now(), content = ${content},
        citations = ${JSON.stringify(citations)}::jsonb, finish_reason = ${finish_reason}, engine = ${engine},
        model = ${model}, usage = ${JSON.stringify(usage)}::jsonb, answered = ${answered}, score = ${score}
      where id = ${id} and status = 'pending' and generation = ${generation} returning id
    ), forgotten as (
      delete from bots.chunks where message_id in (select id from ended)
    )
    select ${notified(id)} as notified from ended`)
  return rowCount > 0
}

const FailedAnswer = table.Row.pick({ id: true, org_id: true, bot_id: true, conversation_id: true })

/** Records a failure and returns the organisation. Returns `null` if the answer has ended or is being retried. */
export async function fail(
  db: Db,
  { id, try: nth }: AnswerJob,
  error: AnswerError,
): Promise<z.infer<typeof FailedAnswer> | null> {
  return await db.maybeOne(sql.type(FailedAnswer.extend({ notified: z.unknown() }))`
    with ended as (
      update bots.messages set status = 'failed', ended_at = now(), error = ${JSON.stringify(error)}::jsonb
      where id = ${id} and status = 'pending' and try = ${nth} returning id, org_id, bot_id, conversation_id
    ), forgotten as (
      delete from bots.chunks where message_id in (select id from ended)
    )
    select ended.*, ${notified(id)} as notified from ended`)
}

const RetriedAnswer = table.Row.pick({ id: true, try: true, org_id: true })

/** Sets a failed answer to pending again. Returns `null` if the answer has not failed. */
export async function retry(tx: Db, id: string, streamed: boolean): Promise<z.infer<typeof RetriedAnswer> | null> {
  return await tx.maybeOne(sql.type(RetriedAnswer)`
    update bots.messages
    set status = 'pending', ended_at = null, error = null, try = try + 1, streamed = streamed or ${streamed}
    where id = ${id} and status = 'failed' returning id, try, org_id`)
}

export interface FollowedAnswer {
  id: string
  generation: number
  n: number
}

const News = z.object({
  place: z.number(),
  status: table.Row.shape.status.nullable(),
  chunks: z.array(z.tuple([z.number(), z.number(), z.string()])).nullable(),
})

/** New data of an answer: its status (`null` if deleted) and new chunks as `[generation, n, text]`. */
export type News = z.infer<typeof News>

export async function readNews(db: Db, followed: readonly FollowedAnswer[]): Promise<readonly News[]> {
  const rows = followed.map(({ id, generation, n }, place) => [place, id, generation, n])
  return await db.any(sql.type(News)`
    select f.place, m.status, c.chunks
    from ${sql.unnest(rows, ['int4', 'uuid', 'int4', 'int4'])} as f (place, id, generation, n)
    left join bots.messages as m on m.id = f.id
    left join lateral (
      select json_agg(json_build_array(c.generation, c.n, c.text) order by c.generation, c.n) as chunks
      from bots.chunks as c
      where c.message_id = f.id and c.generation = m.generation and (c.generation, c.n) > (f.generation, f.n)
    ) as c on true`)
}

const PartialAnswer = z.object({ message_id: z.string(), text: z.string() })

/** Returns the text so far of the pending answers of a conversation, by the ID of the answer. */
export async function readPartial(db: Db, conversationId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.type(PartialAnswer)`
    select c.message_id, string_agg(c.text, '' order by c.n) as text
    from bots.messages as m join bots.chunks as c on c.message_id = m.id and c.generation = m.generation
    where m.conversation_id = ${conversationId} and m.status = 'pending' group by c.message_id`)
  return new Map(rows.map(({ message_id, text }) => [message_id, text]))
}
