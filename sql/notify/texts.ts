import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import { advance } from './editions.ts'

export const table = defineTable(
  'notify',
  'texts',
  z.object({
    id: Id,
    org_id: Id,
    type: z.string(),
    locale: z.string(),
    version: z.number(),
    edition: z.number(),
    title: z.string(),
    body: z.string().nullable(),
    sms: z.string().nullable(),
    /** ID or alias of an email template. `null` if emails use the title and body. */
    template_id: z.string().nullable(),
    is_removed: z.boolean(),
    is_current: z.boolean(),
    created_at: z.date(),
  }),
)

export const Text = table.Row

export type Text = z.infer<typeof Text>

type TextKey = Pick<Text, 'org_id' | 'type' | 'locale'>

/** Creates the next version of a text. If the new text is null, deletes the text. */
export async function put(
  tx: Db,
  key: TextKey,
  said: Pick<Text, 'title' | 'body' | 'sms' | 'template_id'> | null,
): Promise<Text> {
  // The edition orders the changes of an organisation, so the versions of a text have an order.
  const edition = await advance(tx, key.org_id)
  const before = await tx.maybeOne(sql.type(Text)`
    update notify.texts set is_current = false
    where org_id = ${key.org_id} and type = ${key.type} and locale = ${key.locale} and is_current returning ${table.columns()}`)
  const nothing = { title: '', body: null, sms: null, template_id: null, is_removed: true }
  const facts = said ? { ...said, is_removed: false } : nothing
  const version = (before?.version ?? 0) + 1
  const row = { id: newId(), ...key, version, edition, ...facts }
  return await tx.one(sql.type(Text)`${table.insertMany([row])} returning ${table.columns()}`)
}

export async function find(db: Db, { org_id, type, locale }: TextKey): Promise<Text | null> {
  return await db.maybeOne(sql.type(Text)`
    select ${table.columns()} from notify.texts
    where org_id = ${org_id} and type = ${type} and locale = ${locale} and is_current and not is_removed`)
}

/** Lists the versions of a text, newest first. A version can be a deletion. */
export async function listVersions(db: Db, { org_id, type, locale }: TextKey, limit: number): Promise<readonly Text[]> {
  return await db.any(sql.type(Text)`
    select ${table.columns()} from notify.texts
    where org_id = ${org_id} and type = ${type} and locale = ${locale} order by edition desc limit ${limit}`)
}

export const filters = { type: table.equals('type') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Text[]> {
  return await db.any(sql.type(Text)`
    select ${table.columns()} from notify.texts
    where org_id = ${orgId} and ${where} and is_current and not is_removed and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Lists the texts of event types, without their content. */
export async function listOfTypes(db: Db, orgId: string, types: readonly string[]) {
  return await db.any(sql.type(Text.pick({ type: true, locale: true, version: true }))`
    select type, locale, version from notify.texts
    where org_id = ${orgId} and type = any(${sql.array([...types], 'text')}) and is_current and not is_removed
    order by type, locale limit 400`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from notify.texts where org_id = ${orgId} and is_current and not is_removed`)
}

/** A text as of an edition. */
export type TextAtEdition = TextKey & { edition: number }

export async function findAtEditions(
  db: Db,
  wanted: readonly TextAtEdition[],
): Promise<readonly (Text & { as_of: number })[]> {
  if (wanted.length === 0) return []
  const found = await db.any(sql.type(Text.extend({ as_of: z.number() }))`
    select ${table.columns('t')}, w.edition as as_of
    from ${sql.unnest(
      wanted.map(({ org_id, type, locale, edition }) => [org_id, type, locale, edition]),
      ['uuid', 'text', 'text', 'int8'],
    )} as w (org_id, type, locale, edition)
    cross join lateral (
      select * from notify.texts as one
      where one.org_id = w.org_id and one.type = w.type and one.locale = w.locale and one.edition <= w.edition
      order by one.edition desc limit 1) as t`)
  return found.filter(({ is_removed }) => !is_removed)
}
