import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

export const table = defineTable(
  'account',
  'orgs',
  z.object({ id: Id, name: z.string(), plan: z.string(), created_at: z.date() }),
)

/** An organisation: the owner of everything. */
export const Org = table.Row

/** A row of `account.orgs`. */
export type Org = z.infer<typeof Org>

const Name = Org.pick({ id: true, name: true })

/** Adds an organisation on a plan that exists. */
export async function insert(db: Db, org: { id?: string; name: string; plan: string }): Promise<Org> {
  return await db.one(sql.type(Org)`${table.insert({ id: newId(), ...org })} returning ${table.columns()}`)
}

/** The oldest organisation of that name, as operators call it. */
export async function findByName(db: Db, name: string): Promise<Org | null> {
  return await db.maybeOne(sql.type(Org)`
    select ${table.columns()} from account.orgs where name = ${name} order by created_at limit 1`)
}

export async function find(db: Db, id: string): Promise<Org | null> {
  return await db.maybeOne(sql.type(Org)`select ${table.columns()} from account.orgs where id = ${id}`)
}

/** The names of some organisations, by their ids. */
export async function names(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await db.any(sql.type(Name)`
    select ${columnsOf(Name)} from account.orgs where id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** Every organisation with the number of its valid keys, newest first. */
export async function list(db: Db): Promise<readonly (Org & { keys: number })[]> {
  return await db.any(sql.type(Org.extend({ keys: z.number() }))`
    select ${table.columns()},
      (select count(*) from account.keys as k where k.org_id = o.id and k.revoked_at is null) as keys
    from account.orgs as o order by created_at desc, id desc`)
}

/** Moves an organisation to another plan; every process follows within seconds. */
export async function setPlan(db: Db, id: string, plan: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update account.orgs set plan = ${plan} where id = ${id}`)
}

/** Removes an organisation that owns nothing any more: of tables without an index by organisation each is read through once. Returns how many there were. */
export async function remove(tx: Db, id: string): Promise<number> {
  await tx.query(sql.unsafe`select set_config('statement_timeout', '10min', true)`)
  return (await tx.query(sql.typeAlias('void')`delete from account.orgs where id = ${id}`)).rowCount
}

/** An organisation that nobody else changes, nor adds keys to, until the transaction ends. */
export async function lock(tx: Db, id: string): Promise<Org> {
  return await tx.one(sql.type(Org)`select ${table.columns()} from account.orgs where id = ${id} for no key update`)
}

/** Gives an organisation another name. */
export async function rename(tx: Db, id: string, name: string): Promise<Org> {
  return await tx.one(sql.type(Org)`
    update account.orgs set name = ${name} where id = ${id} returning ${table.columns()}`)
}
