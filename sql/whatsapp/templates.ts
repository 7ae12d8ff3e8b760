import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Business accounts whose templates are copied. */
export const accounts = defineTable(
  'whatsapp',
  'accounts',
  z.object({ account_id: z.string(), synced_at: z.date().nullable() }),
)

/** Templates as Meta has them. */
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
  }),
)

export type Template = z.infer<typeof table.Row>

const columns = table.columns()

/** Makes the copy of an account's templates what Meta has. */
export async function replace(tx: Db, accountId: string, templates: readonly Template[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    ${accounts.insert({ account_id: accountId })}
    on conflict (account_id) do update set synced_at = null`)
  const kept = sql.array(
    templates.map(({ provider_id }) => provider_id),
    'text',
  )
  await tx.query(sql.typeAlias('void')`
    delete from whatsapp.templates where account_id = ${accountId} and provider_id <> all(${kept})`)
  if (templates.length > 0) {
    await tx.query(sql.typeAlias('void')`
      ${table.insertMany(templates)}
      on conflict (account_id, provider_id) do update set name = excluded.name, language = excluded.language,
        status = excluded.status, category = excluded.category, parameter_format = excluded.parameter_format,
        components = excluded.components`)
  }
  await tx.query(sql.typeAlias('void')`
    update whatsapp.accounts set synced_at = now() where account_id = ${accountId}`)
}

/** Milliseconds since an account's templates were copied; null when there is no copy, or it is known to be wrong. */
export async function age(db: Db, accountId: string): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ age: z.number().nullable() }))`
    select (extract(epoch from now() - synced_at) * 1000)::float8 as age
    from whatsapp.accounts where account_id = ${accountId}`)
}

/** Notes that copies are not what Meta has any more. */
export async function outdate(tx: Db): Promise<void> {
  await tx.query(sql.typeAlias('void')`update whatsapp.accounts set synced_at = null where synced_at is not null`)
}

/** Whether an account's templates were ever copied. */
export async function isCopied(db: Db, accountId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({}))`select from whatsapp.accounts where account_id = ${accountId}`)
}

export async function find(db: Db, accountId: string, name: string, language: string): Promise<Template | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from whatsapp.templates
    where account_id = ${accountId} and name = ${name} and language = ${language} limit 1`)
}

/** What is asked of a list. */
export interface TemplateQuery {
  before: string | undefined
  limit: number
  status: string | undefined
  category: string | undefined
  language: string | undefined
  name: string | undefined
}

export async function list(db: Db, accountId: string, asked: TemplateQuery): Promise<readonly Template[]> {
  const { before = null, limit, status = null, category = null, language = null, name = null } = asked
  return await db.any(sql.type(table.Row)`
    select ${columns} from whatsapp.templates
    where account_id = ${accountId} and (${before}::uuid is null or id < ${before})
      and (${status}::text is null or status = ${status}) and (${category}::text is null or category = ${category})
      and (${language}::text is null or language = ${language}) and (${name}::text is null or name = ${name})
    order by id desc limit ${limit}`)
}
