import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { save } from '../knowledge/sources.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'documents',
  z.object({
    id: Id,
    bot_id: Id,
    title: z.string(),
    url: z.string().nullable(),
    text: z.string(),
    characters: z.number(),
    created_at: z.date(),
  }),
)

export type Document = z.infer<typeof table.Row>

const DocumentSummary = table.Row.omit({ text: true })

export type DocumentSummary = z.infer<typeof DocumentSummary>

const listed = sql.fragment`id, bot_id, title, url, characters, created_at`

export async function insert(
  db: Db,
  document: Pick<Document, 'id' | 'bot_id' | 'title' | 'url' | 'text'>,
): Promise<DocumentSummary> {
  return await db.transaction(async (tx) => {
    const added = await tx.one(sql.type(DocumentSummary)`${table.insert(document)} returning ${listed}`)
    const { id, bot_id: collection_id, title, url, text } = document
    const org_id = await tx.oneFirst(sql.type(Owner)`select org_id from bots.bots where id = ${collection_id}`)
    await save(tx, { id, org_id, collection_id, title, url, text })
    return added
  })
}

const Owner = z.object({ org_id: Id })

/**
 * Replaces the text of a source's document. Returns false if the text is unchanged. The caller must hold the lock of
 * the source.
 */
export async function replace(
  tx: Db,
  { org_id, ...document }: Pick<Document, 'id' | 'bot_id' | 'title' | 'url' | 'text'> & z.infer<typeof Owner>,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    ${table.insert(document)} on conflict (id) do update set title = excluded.title, url = excluded.url, text = excluded.text
    where (documents.title, documents.url, documents.text) is distinct from (excluded.title, excluded.url, excluded.text)`)
  if (rowCount === 0) return false
  const { id, bot_id: collection_id, title, url, text } = document
  await save(tx, { id, org_id, collection_id, title, url, text })
  return true
}

/** Counts the documents of a bot, including sources that are not read yet. */
export async function count(db: Db, botId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select (select count(*) from bots.documents where bot_id = ${botId}) + (
      select count(*) from bots.sources as s
      where s.bot_id = ${botId} and not exists (select from bots.documents as d where d.id = s.id)) as count`)
}

export async function list(db: Db, botId: string, { before, limit }: Part): Promise<readonly DocumentSummary[]> {
  return await db.any(sql.type(DocumentSummary)`
    select ${listed} from bots.documents
    where bot_id = ${botId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

/** Deletes a document and its source, if it has a source. Returns false if the bot does not have the document. */
export async function remove(db: Db, botId: string, id: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    // This is the first step, so that no pending read can write another document.
    await tx.query(sql.typeAlias('void')`delete from bots.sources where id = ${id} and bot_id = ${botId}`)
    const { rowCount } = await tx.query(sql.typeAlias('void')`
      delete from bots.documents where id = ${id} and bot_id = ${botId}`)
    return rowCount === 1
  })
}

/** Returns a document with the beginning of its text. */
export async function find(db: Db, botId: string, id: string, mostCharacters: number): Promise<Document | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${listed}, left(text, ${mostCharacters}) as text from bots.documents where id = ${id} and bot_id = ${botId}`)
}
