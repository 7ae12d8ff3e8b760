import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'account',
  'orgs',
  z.object({ id: Id, name: z.string(), plan: z.string(), created_at: z.date(), brand_color: z.string().nullable() }),
)

export const Org = table.Row

export type Org = z.infer<typeof Org>

const Name = Org.pick({ id: true, name: true })

export async function insert(db: Db, org: { id?: string; name: string; plan: string }): Promise<Org> {
  return await db.one(sql.type(Org)`${table.insert({ id: newId(), ...org })} returning ${table.columns()}`)
}

export async function findByName(db: Db, name: string): Promise<Org | null> {
  return await db.maybeOne(sql.type(Org)`
    select ${table.columns()} from account.orgs where name = ${name} order by created_at limit 1`)
}

export async function find(db: Db, id: string): Promise<Org | null> {
  return await db.maybeOne(sql.type(Org)`select ${table.columns()} from account.orgs where id = ${id}`)
}

export async function names(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await db.any(sql.type(Name)`
    select ${getColumns(Name)} from account.orgs where id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(found.map(({ id, name }) => [id, name]))
}

export async function list(db: Db): Promise<readonly (Org & { keys: number })[]> {
  return await db.any(sql.type(Org.extend({ keys: z.number() }))`
    select ${table.columns()},
      (select count(*) from account.keys as k where k.org_id = o.id and k.revoked_at is null) as keys
    from account.orgs as o order by created_at desc, id desc`)
}

/** Changes the plan of an organisation. Every process applies it within seconds. */
export async function setPlan(db: Db, id: string, plan: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update account.orgs set plan = ${plan} where id = ${id}`)
}

/**
 * Removes an organisation that has no rows left. Tables without an index by organisation are scanned once. Returns the
 * number of removed organisations.
 */
export async function remove(tx: Db, id: string): Promise<number> {
  await tx.query(sql.unsafe`select set_config('statement_timeout', '10min', true)`)
  return (await tx.query(sql.typeAlias('void')`delete from account.orgs where id = ${id}`)).rowCount
}

export async function lock(tx: Db, id: string): Promise<Org> {
  return await tx.one(sql.type(Org)`select ${table.columns()} from account.orgs where id = ${id} for no key update`)
}

export async function rename(tx: Db, id: string, name: string): Promise<Org> {
  return await tx.one(sql.type(Org)`
    update account.orgs set name = ${name} where id = ${id} returning ${table.columns()}`)
}
