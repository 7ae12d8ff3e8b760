import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { Contact, table, tableFor } from '../contacts.ts'

export type ContactDetails = Pick<Contact, 'name' | 'attributes' | 'tags' | 'user_id'>

/** Maximum size of attributes in bytes, as Postgres writes them, and maximum number of tags. */
export const detailLimits = { bytes: 4_096, tags: 50 } as const

export async function lock(tx: Db, orgId: string, email: string, sandbox: boolean): Promise<Contact | null> {
  return await tx.maybeOne(sql.type(Contact)`
    select ${table.columns()} from ${tableFor(sandbox)} where org_id = ${orgId} and email = ${email} for update`)
}

export async function set(tx: Db, id: string, known: ContactDetails, sandbox: boolean): Promise<Contact> {
  const { name, attributes, tags, user_id } = known
  return await tx.one(sql.type(Contact)`
    update ${tableFor(sandbox)} set name = ${name}, attributes = ${sql.jsonb(attributes)}, tags = ${sql.array([...tags], 'text')},
      user_id = ${user_id}
    where id = ${id} returning ${table.columns()}`)
}

export interface ImportedDetails {
  email: string
  written: string | null
  /** True if there are details other than the spelling of the email address. */
  isDetailed: boolean
  name: string | null
  user_id: string | null
  attributes: Readonly<Record<string, unknown>>
  tags: readonly string[]
}

/**
 * Stores the spelling of existing contacts and adds to their details, regardless of consent. Returns the email
 * addresses that were not changed because they would exceed a limit.
 */
export async function addMany(
  tx: Db,
  orgId: string,
  given: readonly ImportedDetails[],
  sandbox: boolean,
): Promise<readonly string[]> {
  if (given.length === 0) return []
  const kept = await tx.anyFirst(sql.type(z.object({ email: z.string() }))`
    with given as materialized (
      select g.email, g.written, g.name, g.user_id, c.id, c.attributes || g.attributes as merged,
        array(select distinct t from unnest(c.tags || g.tags) as t order by t) as all_tags
      from json_to_recordset(${JSON.stringify(given)}::json)
        as g (email text, written text, "isDetailed" boolean, name text, user_id text, attributes jsonb, tags text[])
      join ${tableFor(sandbox)} as c on c.org_id = ${orgId} and c.email = g.email
      where g."isDetailed" or c.written is distinct from g.written
      order by c.id for update of c
    ), judged as (
      select *, octet_length(merged::text) <= ${detailLimits.bytes} and cardinality(all_tags) <= ${detailLimits.tags} as fits from given
    ), changed as (
      update ${tableFor(sandbox)} as c
      set written = g.written,
        name = case when g.fits then coalesce(g.name, c.name) else c.name end,
        user_id = coalesce(g.user_id, c.user_id),
        attributes = case when g.fits then g.merged else c.attributes end,
        tags = case when g.fits then g.all_tags else c.tags end
      from judged as g
      where c.id = g.id
      returning g.email, g.fits)
    select email from changed where fits`)
  const done = new Set(kept)
  return given.flatMap(({ email, isDetailed }) => (isDetailed && !done.has(email) ? [email] : []))
}
