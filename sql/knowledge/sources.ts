import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { configurationOf } from './languages.ts'
import { split } from './split.ts'

/** Texts that are searched; `id` is that of the row which one is the text of. */
export const table = defineTable(
  'knowledge',
  'sources',
  z.object({
    id: Id,
    org_id: Id,
    collection_id: Id,
    revision: Id,
    title: z.string(),
    url: z.string().nullable(),
    languages: z.array(z.string()),
    chunks: z.number(),
    characters: z.number(),
    model: z.string().nullable(),
    created_at: z.date(),
    embed_failed_at: z.date().nullable(),
    embed_tries: z.number(),
  }),
)

/** A text as whoever has it gives it. */
export interface SourceText
  extends Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'collection_id' | 'title' | 'url'> {
  /** Plain text or Markdown; pages end with a form feed. */
  text: string
}

/**
 * Makes a text the one that is found under its id, instead of any former one, by its words at once. Of a text of more than some
 * million characters the beginning is. Whoever changes the row that it is of must hold that row's lock.
 */
export async function keep(db: Db, { text, ...source }: SourceText): Promise<void> {
  const pieces = split(text).map((piece, place) => ({
    ...piece,
    place,
    language: configurationOf(piece.text),
    // Blanks between the parts: no word is made of two.
    content: [source.title, ...piece.headings, piece.text].join('\n'),
  }))
  const last = pieces.at(-1)
  const facts = {
    ...source,
    languages: sql.array([...new Set(pieces.map((piece) => piece.language))], 'text') as never,
    chunks: pieces.length,
    characters: last ? last.start + last.text.length : 0,
  }
  await db.transaction(async (tx) => {
    await remove(tx, source.id)
    // Another one that is keeping the same row has it: then theirs stands.
    const made = await tx.query(sql.typeAlias('void')`${table.insert(facts)} on conflict (id) do nothing`)
    if (made.rowCount === 0) return
    for (let from = 0; from < pieces.length; from += atOnce) {
      const part = pieces.slice(from, from + atOnce)
      await insertChunks(tx, source, part)
      await insertPostings(tx, source, part)
    }
  })
}

/** Pieces in one statement: so many take some 300 ms. */
const atOnce = 250

interface PlacedPiece {
  place: number
  start: number
  page: number | null
  headings: readonly string[]
  text: string
  language: string
  content: string
}

async function insertChunks(tx: Db, { id }: Pick<SourceText, 'id'>, pieces: readonly PlacedPiece[]): Promise<void> {
  const rows = pieces.map(({ place, start, page, headings, text }) => ({ place, start, page, headings, text }))
  await tx.query(sql.typeAlias('void')`
    insert into knowledge.chunks (source_id, place, start, page, headings, text)
    select ${id}, place, start, page, headings, text
    from json_to_recordset(${JSON.stringify(rows)}::json) as x (place int, start int, page int, headings text[], text text)`)
}

/** A word has one row for the source, which later pieces add to. */
async function insertPostings(
  tx: Db,
  { id, collection_id }: Pick<SourceText, 'id' | 'collection_id'>,
  pieces: readonly PlacedPiece[],
): Promise<void> {
  const rows = pieces.map(({ place, language, content }) => ({ place, language, content }))
  await tx.query(sql.typeAlias('void')`
    insert into knowledge.postings as p (key, source_id, hits)
    select knowledge.key(${collection_id}, w.word), ${id}, array_agg((x.place * 8 + least(w.times, 7))::int2 order by x.place)
    from json_to_recordset(${JSON.stringify(rows)}::json) as x (place int, language text, content text)
    cross join lateral knowledge.words(x.language, x.content) as w
    group by w.word
    on conflict (key, source_id) do update set hits = p.hits || excluded.hits`)
}

/** Has a text be found no more. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from knowledge.sources where id = ${id}`)
}
