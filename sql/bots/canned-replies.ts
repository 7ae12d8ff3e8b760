import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'canned_replies',
  z.object({
    id: Id,
    org_id: Id,
    shortcut: z.string(),
    language: z.string().nullable(),
    title: z.string(),
    text: z.string(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type CannedReply = z.infer<typeof table.Row>

const columns = table.columns()

/** Maximum number of canned replies of an organisation. */
export const maxCannedReplies = 500

export type Content = Pick<CannedReply, 'shortcut' | 'language' | 'title' | 'text'>

/** Adds a reply. Returns `null` if another has the shortcut and language. The caller must hold the limit’s lock. */
export async function insert(tx: Db, reply: Content & Pick<CannedReply, 'id' | 'org_id'>): Promise<CannedReply | null> {
  return await tx.maybeOne(sql.type(table.Row)`${table.insert(reply)} on conflict do nothing returning ${columns}`)
}

export async function countOf(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`select count(*) from bots.canned_replies where org_id = ${orgId}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<CannedReply | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.canned_replies where id = ${id} and org_id = ${orgId}`)
}

export async function lock(tx: Db, orgId: string, id: string): Promise<CannedReply | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.canned_replies where id = ${id} and org_id = ${orgId} for update`)
}

/** True if another reply has the shortcut and language. */
export async function isTaken(
  db: Db,
  orgId: string,
  { id, shortcut, language }: Pick<CannedReply, 'id' | 'shortcut' | 'language'>,
): Promise<boolean> {
  return await db.exists(sql.unsafe`
    select from bots.canned_replies
    where org_id = ${orgId} and shortcut = ${shortcut} and language is not distinct from ${language} and id <> ${id}`)
}

/** Text before which all strings that start with `prefix` are sorted. Shortcuts have only characters before `{`. */
const startsWith = (prefix: string) => sql.fragment`
  shortcut collate "C" >= ${prefix} and shortcut collate "C" < ${`${prefix}{`}`

export const filters = {
  shortcut: (prefix: string) => startsWith(prefix),
  language: table.equals('language'),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly CannedReply[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.canned_replies where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/**
 * Returns replies whose shortcut starts with a prefix, by shortcut. Of several languages, replies in `language` come
 * first, then replies for every language.
 */
export async function search(
  db: Db,
  orgId: string,
  { prefix, id, language, limit }: { prefix: string; id?: string | undefined; language: string | null; limit: number },
): Promise<readonly CannedReply[]> {
  const base = language?.split('-')[0] ?? ''
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.canned_replies where org_id = ${orgId} and ${startsWith(prefix)}
      and (${id ?? null}::uuid is null or id = ${id ?? null})
    order by shortcut collate "C",
      case when language = ${language ?? ''} then 0 when split_part(language, '-', 1) = ${base} then 1
        when language is null then 2 else 3 end, language limit ${limit}`)
}

export async function update(
  tx: Db,
  orgId: string,
  id: string,
  changes: Partial<Content>,
): Promise<CannedReply | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update bots.canned_replies set ${table.set({ ...changes, updated_at: sql.fragment`now()` as never })}
    where id = ${id} and org_id = ${orgId} returning ${columns}`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from bots.canned_replies where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}
