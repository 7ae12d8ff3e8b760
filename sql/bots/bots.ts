import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'bots',
  z.object({
    id: Id,
    org_id: Id,
    slug: z.string(),
    name: z.string(),
    tagline: z.string().nullable(),
    description: z.string().nullable(),
    category: z.string().nullable(),
    languages: z.array(z.string()),
    avatar_url: z.string().nullable(),
    version: z.number(),
    retention_days: z.number().nullable(),
    handover: z.boolean(),
    popularity: z.number(),
    published_at: z.date().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Bot = z.infer<typeof table.Row>

export type Profile = Pick<
  Bot,
  'name' | 'tagline' | 'description' | 'category' | 'languages' | 'avatar_url' | 'retention_days' | 'handover'
>

const columns = table.columns()

/** Adds a bot. Returns `null` if another bot has the slug. */
export async function insert(tx: Db, bot: Profile & Pick<Bot, 'id' | 'org_id' | 'slug'>): Promise<Bot | null> {
  const row = { ...bot, languages: sql.array(bot.languages, 'text') as never }
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert(row)} on conflict (slug) do nothing returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Bot | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from bots.bots where id = ${id} and org_id = ${orgId}`)
}

/** Matches a bot by ID or slug. A slug never looks like an ID. */
const named = (name: string) => {
  const id = Id.safeParse(name)
  return id.success ? sql.fragment`id = ${id.data}` : sql.fragment`slug = ${name}`
}

/** Returns a bot of an organisation by ID or slug, locked until the transaction ends. */
export async function lock(tx: Db, orgId: string, name: string): Promise<Bot | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.bots where ${named(name)} and org_id = ${orgId} for no key update`)
}

const seenBy = (orgId: string) => sql.fragment`(org_id = ${orgId} or published_at is not null)`

export async function findVisible(db: Db, orgId: string, name: string): Promise<Bot | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.bots where ${named(name)} and ${seenBy(orgId)}`)
}

export async function findKnown(db: Db, orgId: string, id: string): Promise<Bot | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.bots where id = ${id} and (${seenBy(orgId)}
      or exists (select from bots.messages as m where m.org_id = ${orgId} and m.bot_id = ${id}))`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Bot[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.bots
    where org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

export async function update(tx: Db, { id, ...bot }: Profile & Pick<Bot, 'id' | 'version'>): Promise<Bot> {
  return await tx.one(sql.type(table.Row)`
    update bots.bots
    set name = ${bot.name}, tagline = ${bot.tagline}, description = ${bot.description}, category = ${bot.category},
      languages = ${sql.array(bot.languages, 'text')}, avatar_url = ${bot.avatar_url},
      retention_days = ${bot.retention_days}, handover = ${bot.handover}, version = ${bot.version}, updated_at = now()
    where id = ${id} returning ${columns}`)
}

export async function setPublished(db: Db, orgId: string, id: string, published: boolean): Promise<Bot | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update bots.bots
    set published_at = ${published ? sql.fragment`coalesce(published_at, now())` : sql.fragment`null`}, updated_at = now()
    where id = ${id} and org_id = ${orgId} returning ${columns}`)
}

export async function remove(db: Db, orgId: string, name: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    delete from bots.bots where ${named(name)} and org_id = ${orgId} returning id`)
}

export async function handsOver(db: Db, id: string): Promise<boolean> {
  return await db.exists(sql.type(table.Row.pick({ id: true }))`select id from bots.bots where id = ${id} and handover`)
}

export async function listLanguages(db: Db, id: string): Promise<readonly string[]> {
  const languages = await db.maybeOneFirst(sql.type(table.Row.pick({ languages: true }))`
    select languages from bots.bots where id = ${id}`)
  return languages ?? []
}

const PublicKey = z.object({ public_key: z.string(), origins: z.array(z.string()).nullable() })

/** Stores the public key of a bot’s web pages. */
export async function setPublicKey(
  tx: Db,
  orgId: string,
  id: string,
  key: { id: string; value: string },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update bots.bots set public_key_id = ${key.id}, public_key = ${key.value} where id = ${id} and org_id = ${orgId}`)
}

/** Returns the public key of a bot’s web pages with its origins. `null` if there is none or the key is not active. */
export async function findPublicKey(db: Db, orgId: string, id: string): Promise<z.infer<typeof PublicKey> | null> {
  return await db.maybeOne(sql.type(PublicKey)`
    select b.public_key, (select array_agg(o) from jsonb_array_elements_text(k.locks -> 'origins') as o) as origins
    from bots.bots as b join account.keys as k on k.id = b.public_key_id and k.org_id = b.org_id
    where b.id = ${id} and b.org_id = ${orgId} and b.public_key is not null
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`)
}
