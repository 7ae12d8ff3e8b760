import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/** An organisation: the owner of everything. */
export const Org = z.object({ id: Id, name: z.string(), plan: z.string(), created_at: z.date() })

/** A row of `account.orgs`. */
export type Org = z.infer<typeof Org>

/** Adds an organisation on a plan that exists. */
export async function insert(db: Db, org: { id?: string; name: string; plan: string }): Promise<Org> {
  return await db.one(sql.type(Org)`
    insert into account.orgs (id, name, plan) values (${org.id ?? newId()}, ${org.name}, ${org.plan})
    returning id, name, plan, created_at`)
}

/** The oldest organisation of that name, as operators call it. */
export async function findByName(db: Db, name: string): Promise<Org | null> {
  return await db.maybeOne(sql.type(Org)`
    select id, name, plan, created_at from account.orgs where name = ${name} order by created_at limit 1`)
}

/** The organisation with that id. */
export async function find(db: Db, id: string): Promise<Org | null> {
  return await db.maybeOne(sql.type(Org)`select id, name, plan, created_at from account.orgs where id = ${id}`)
}

/** The names of some organisations, by their ids. */
export async function names(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await db.any(sql.type(Org.pick({ id: true, name: true }))`
    select id, name from account.orgs where id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** Every organisation with how many keys of its are good, newest first. */
export async function list(db: Db): Promise<readonly (Org & { keys: number })[]> {
  return await db.any(sql.type(Org.extend({ keys: z.number() }))`
    select id, name, plan, created_at,
      (select count(*) from account.keys as k where k.org_id = o.id and k.revoked_at is null) as keys
    from account.orgs as o order by created_at desc, id desc`)
}

/** Moves an organisation to another plan; processes heed it within seconds. */
export async function setPlan(db: Db, id: string, plan: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update account.orgs set plan = ${plan} where id = ${id}`)
}
