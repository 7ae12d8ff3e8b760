import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { detectConfigurations } from './languages.ts'
import { split } from './split.ts'

/** Searchable texts. `id` is the ID of the row that the text belongs to. */
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

export interface SourceText
  extends Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'collection_id' | 'title' | 'url'> {
  /** Plain text or Markdown. Pages end with a form feed. */
  text: string
}

/**
 * Stores a text under its ID and replaces the previous text. The text can be found by its words immediately. If the
 * text has more than a few million characters, only the beginning is stored. The caller must hold the lock on the row
 * that the text belongs to.
 */
export async function save(db: Db, { text, ...source }: SourceText): Promise<void> {
  const parts = split(text)
  const languages = await detectConfigurations(parts.map((part) => part.text))
  const pieces = parts.map((piece, place) => ({
    ...piece,
    place,
    language: languages[place] ?? 'simple',
    // Line breaks between the parts prevent words from being joined.
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
    // If another transaction has stored the same row first, its text stays.
    const made = await tx.query(sql.typeAlias('void')`${table.insert(facts)} on conflict (id) do nothing`)
    if (made.rowCount === 0) return
    for (let from = 0; from < pieces.length; from += atOnce) {
      const part = pieces.slice(from, from + atOnce)
      await insertChunks(tx, source, part)
      await insertPostings(tx, source, part)
    }
  })
}

/** Number of pieces per statement. 250 pieces take about 300 ms. */
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

/** Adds the words of pieces. Each word has one row per source, to which later pieces are added. */
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

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from knowledge.sources where id = ${id}`)
}
