import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const accounts = defineTable(
  'whatsapp',
  'accounts',
  z.object({ account_id: z.string(), synced_at: z.date().nullable() }),
)

export const table = defineTable(
  'whatsapp',
  'templates',
  z.object({
    id: Id,
    account_id: z.string(),
    provider_id: z.string(),
    name: z.string(),
    language: z.string(),
    status: z.string(),
    category: z.string(),
    parameter_format: z.string(),
    components: z.array(z.looseObject({ type: z.string() })),
    reason: z.string().nullable(),
    noted_at: z.date(),
  }),
)

export type Template = z.infer<typeof table.Row>

const columns = table.columns()

export type NewTemplate = Omit<Template, 'noted_at'>

export type StatusChange = Template & { before: string }

/** Replaces the copy of an account's templates. Returns templates whose status changed since the last copy. */
export async function replace(
  tx: Db,
  accountId: string,
  templates: readonly NewTemplate[],
): Promise<readonly StatusChange[]> {
  await tx.query(sql.typeAlias('void')`
    ${accounts.insert({ account_id: accountId })}
    on conflict (account_id) do update set synced_at = null`)
  const before = new Map((await lockAll(tx, accountId)).map((one) => [one.provider_id, one.status]))
  const kept = sql.array(
    templates.map(({ provider_id }) => provider_id),
    'text',
  )
  await tx.query(sql.typeAlias('void')`
    delete from whatsapp.templates where account_id = ${accountId} and provider_id <> all(${kept})`)
  if (templates.length > 0) {
    await tx.query(sql.typeAlias('void')`
      ${table.insertMany(templates.map((one) => ({ ...one, noted_at: new Date().toISOString() })))}
      on conflict (account_id, provider_id) do update set name = excluded.name, language = excluded.language,
        status = excluded.status, category = excluded.category, parameter_format = excluded.parameter_format,
        components = excluded.components, reason = excluded.reason, noted_at = excluded.noted_at`)
  }
  await tx.query(sql.typeAlias('void')`
    update whatsapp.accounts set synced_at = now() where account_id = ${accountId}`)
  return (await lockAll(tx, accountId)).flatMap((one) => {
    const was = before.get(one.provider_id)
    return was === undefined || was === one.status ? [] : [{ ...one, before: was }]
  })
}

/** Locks all templates of an account. Webhooks about its templates wait until the transaction ends. */
async function lockAll(tx: Db, accountId: string): Promise<readonly Template[]> {
  return await tx.any(sql.type(table.Row)`
    select ${columns} from whatsapp.templates where account_id = ${accountId} order by id for update`)
}

/** Adds a submitted template. If the template exists, it keeps its ID. */
export async function upsert(tx: Db, template: NewTemplate): Promise<Template> {
  await tx.query(sql.typeAlias('void')`
    ${accounts.insert({ account_id: template.account_id })} on conflict (account_id) do nothing`)
  return await tx.one(sql.type(table.Row)`
    ${table.insert(template)}
    on conflict (account_id, provider_id) do update set name = excluded.name, language = excluded.language,
      status = excluded.status, category = excluded.category, parameter_format = excluded.parameter_format,
      components = excluded.components, reason = null, noted_at = now()
    returning ${columns}`)
}

/** Stores a review status from a webhook. Returns `null` if the status is unchanged or the template is unknown. */
export async function updateReviewStatus(
  tx: Db,
  accountId: string,
  { providerId, status, reason }: { providerId: string; status: string; reason: string | null },
): Promise<StatusChange | null> {
  return await tx.maybeOne(sql.type(table.Row.extend({ before: z.string() }))`
    update whatsapp.templates as t set status = ${status}, reason = ${reason}, noted_at = now()
    from (
      select id, status as before from whatsapp.templates
      where account_id = ${accountId} and provider_id = ${providerId} for update
    ) as known
    where t.id = known.id and known.before <> ${status} returning ${table.columns('t')}, known.before`)
}

export async function findByProviderId(db: Db, accountId: string, providerId: string): Promise<Template | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from whatsapp.templates where account_id = ${accountId} and provider_id = ${providerId}`)
}

export async function remove(tx: Db, accountId: string, providerId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from whatsapp.templates where account_id = ${accountId} and provider_id = ${providerId}`)
}

/** Returns the age of an account’s copy in milliseconds. `null` if no valid copy exists. */
export async function getCopyAge(db: Db, accountId: string): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ age: z.number().nullable() }))`
    select (extract(epoch from now() - synced_at) * 1000)::float8 as age
    from whatsapp.accounts where account_id = ${accountId}`)
}

export async function markOutdated(tx: Db, accountId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update whatsapp.accounts set synced_at = null where account_id = ${accountId} and synced_at is not null`)
}

export async function isCopied(db: Db, accountId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({}))`select from whatsapp.accounts where account_id = ${accountId}`)
}

export async function find(db: Db, accountId: string, name: string, language: string): Promise<Template | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from whatsapp.templates
    where account_id = ${accountId} and name = ${name} and language = ${language} limit 1`)
}

export const filters = {
  status: (status: string) => (status === 'ALL' ? everything : sql.fragment`status = ${status}`),
  category: table.equals('category'),
  language: table.equals('language'),
  name: table.equals('name'),
}

export async function list(
  db: Db,
  accountId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Template[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from whatsapp.templates where account_id = ${accountId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
