import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Pieces of documents, about 1,000 characters each; a trigger makes them with their document. */
export const table = defineTable(
  'bots',
  'passages',
  z.object({
    document_id: Id,
    place: z.number(),
    bot_id: Id,
    start: z.number(),
    text: z.string(),
    characters: z.number(),
    stems: z.array(z.string()),
  }),
)

const PassageMatch = table.Row.pick({ document_id: true, place: true, start: true, text: true }).extend({
  title: z.string(),
  url: z.string().nullable(),
})

/** A passage as an answer is taken from it. */
export type PassageMatch = z.infer<typeof PassageMatch>

/** Words of a question that are looked for, the longest first: more tell nothing new and cost an index scan each. */
const mostWords = 48

/**
 * The passages of a bot that fit a question best, best first, as many as have `characters` together. A word weighs the more the
 * fewer passages have it (the inverse document frequency of BM25); passages without any of the words fill what is left.
 */
export async function findFor(
  db: Db,
  botId: string,
  question: string,
  characters: number,
): Promise<readonly PassageMatch[]> {
  return await db.any(sql.type(PassageMatch)`
    with words as (
      select lexeme as word, bots.stems(lexeme) as stems from unnest(to_tsvector('simple', ${question}))
      order by length(lexeme) desc, lexeme limit ${mostWords}
    ), matches as materialized (
      select p.document_id, p.place, w.word
      from words as w join bots.passages as p on p.bot_id = ${botId} and p.stems && w.stems
    ), weights as (
      select word, ln(1 + (max(n.count) - count(*) + 0.5) / (count(*) + 0.5)) as weight
      from matches, (select count(*) from bots.passages where bot_id = ${botId}) as n group by word
    ), ranks as (
      select document_id, place, sum(weight) as rank from matches join weights using (word) group by document_id, place
    ), counted as (
      select p.document_id, p.place, sum(p.characters) over (order by r.rank desc nulls last, p.document_id, p.place) as so_far
      from bots.passages as p left join ranks as r using (document_id, place) where p.bot_id = ${botId}
    )
    select p.document_id, p.place, p.start, p.text, d.title, d.url
    from counted as c join bots.passages as p using (document_id, place) join bots.documents as d on d.id = p.document_id
    where c.so_far <= ${characters} order by c.so_far`)
}

/** Makes the passages of at most `limit` documents that have none, of one bot or of all; returns of how many. */
export async function makeMissing(db: Db, limit: number, botId?: string): Promise<number> {
  const only = botId === undefined ? sql.fragment`` : sql.fragment`and d.bot_id = ${botId}`
  return await db.oneFirst(sql.typeAlias('count')`
    with missing as (
      select d.id, d.bot_id, d.title, d.text from bots.documents as d
      where d.text <> '' and not exists (select from bots.passages as p where p.document_id = d.id) ${only}
      limit ${limit} for key share skip locked
    ), made as (
      insert into bots.passages (document_id, place, bot_id, start, text, stems)
      select m.id, p.place, m.bot_id, p.start, p.text, bots.stems(m.title || ' ' || p.text)
      from missing as m cross join lateral bots.split(m.text) as p
      on conflict do nothing
    )
    select count(*) from missing`)
}
