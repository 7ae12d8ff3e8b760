import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'
import { type Reach, within } from './reach.ts'

/** Public forms with which people subscribe. */
export const table = defineTable(
  'email',
  'forms',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    sandbox: z.boolean(),
    name: z.string(),
    title: z.string(),
    consent_text: z.string(),
    text_version: z.string(),
    topics: z.array(z.string()),
    from_email: z.string(),
    from_name: z.string().nullable(),
    subject: z.string(),
    guard_site_id: Id.nullable(),
    success_url: z.string().nullable(),
    active: z.boolean(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Form = z.infer<typeof table.Row>

export type FormFields = Omit<Form, 'id' | 'org_id' | 'key_id' | 'sandbox' | 'created_at' | 'updated_at'>

export const maxPerOrg = 100

const bound = <T extends { topics?: string[] | undefined }>({ topics, ...fields }: T) => ({
  ...fields,
  ...(topics && { topics: sql.array(topics, 'text') }),
})

/** Returns null if the organisation has the maximum number of forms. */
export async function insert(
  tx: Db,
  form: FormFields & Pick<Form, 'id' | 'org_id' | 'key_id' | 'sandbox'>,
): Promise<Form | null> {
  await lockOrgLimit(tx, form.org_id, 'email.forms')
  const count = await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from email.forms where org_id = ${form.org_id}`)
  if (count >= maxPerOrg) return null
  return await tx.one(sql.type(table.Row)`${table.insert(bound(form))} returning ${table.columns()}`)
}

/** Returns a form of live or test keys. */
export async function find(db: Db, orgId: string, id: string, sandbox: boolean): Promise<Form | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.forms where org_id = ${orgId} and id = ${id} and sandbox = ${sandbox}`)
}

/** Returns a form of any organisation, for visitors and for the task. */
export async function findAny(db: Db, id: string): Promise<Form | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from email.forms where id = ${id}`)
}

export async function list(
  db: Db,
  orgId: string,
  { before, limit, reach }: Part & { reach: Reach },
  sandbox: boolean,
): Promise<readonly Form[]> {
  const older = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.forms as f
    where org_id = ${orgId} and sandbox = ${sandbox} and ${within('f', reach)} ${older} order by id desc limit ${limit}`)
}

/** Undefined fields do not change. Returns null if the form does not exist. */
export async function update(
  db: Db,
  orgId: string,
  id: string,
  changes: { [Name in keyof FormFields]?: FormFields[Name] | undefined },
  sandbox: boolean,
): Promise<Form | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update email.forms set ${table.set({ ...bound(changes), updated_at: sql.fragment`now()` })}
    where org_id = ${orgId} and id = ${id} and sandbox = ${sandbox} returning ${table.columns()}`)
}

export async function remove(db: Db, orgId: string, id: string, sandbox: boolean): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from email.forms where org_id = ${orgId} and id = ${id} and sandbox = ${sandbox}`)
  return rowCount > 0
}
