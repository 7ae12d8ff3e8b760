import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns, type NewRow } from '../table.ts'
import { Action } from './actions.ts'
import { Condition } from './conditions.ts'

export const table = defineTable(
  'automation',
  'rules',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    name: z.string(),
    event: z.string(),
    /** Mode of the events. `null` for both modes. */
    mode: z.enum(['live', 'test']).nullable(),
    conditions: z.array(Condition),
    action: Action,
    /** Sealed JSON object: the headers of an HTTP job. */
    secret_headers: z.string().nullable(),
    max_per_minute: z.number(),
    /** A deleted rule is kept as long as its runs. */
    state: z.enum(['enabled', 'paused', 'deleted']),
    created_at: z.date(),
    updated_at: z.date(),
  }),
  {
    retention: days(1, 'updated_at', {
      which: 'deleted, without runs',
      where: sql.fragment`old.state = 'deleted' and not exists (
        select from automation.runs as r where r.rule_id = old.id)`,
    }),
  },
)

export const Rule = table.Row

export type Rule = z.infer<typeof Rule>

export const getHeaderContext = (ruleId: string) => `automation rule ${ruleId}`

export const State = z.enum(['enabled', 'paused'])

const exists = sql.fragment`state <> 'deleted'`

export async function count(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from automation.rules where org_id = ${orgId} and ${exists}`)
}

export async function insert(tx: Db, row: NewRow<typeof Rule>): Promise<Rule> {
  return await tx.one(sql.type(Rule)`${table.insert(row)} returning ${table.columns()}`)
}

export const filters = { state: table.equals('state'), event: table.equals('event') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Rule[]> {
  return await db.any(sql.type(Rule)`
    select ${table.columns()} from automation.rules
    where org_id = ${orgId} and ${exists} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Rule | null> {
  return await db.maybeOne(sql.type(Rule)`
    select ${table.columns()} from automation.rules where org_id = ${orgId} and id = ${id} and ${exists}`)
}

export async function lock(tx: Db, orgId: string, id: string): Promise<Rule | null> {
  return await tx.maybeOne(sql.type(Rule)`
    select ${table.columns()} from automation.rules
    where org_id = ${orgId} and id = ${id} and ${exists} for no key update`)
}

export async function update(tx: Db, id: string, changes: NewRow<typeof Rule>): Promise<Rule> {
  return await tx.one(sql.type(Rule)`
    update automation.rules set ${table.set(changes)}, updated_at = now() where id = ${id} returning ${table.columns()}`)
}

/** Marks a rule as deleted. Returns null if the rule does not exist. */
export async function remove(tx: Db, orgId: string, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    update automation.rules set state = 'deleted', secret_headers = null, updated_at = now()
    where org_id = ${orgId} and id = ${id} and ${exists} returning id`)
}

const Matching = Rule.pick({ id: true, conditions: true })

/** Returns the conditions of rules by their ID. */
export async function findConditions(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Condition[]>> {
  const found = await db.any(sql.type(Matching)`
    select ${getColumns(Matching)} from automation.rules where id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(found.map(({ id, conditions }) => [id, conditions]))
}

const Version = Rule.pick({ id: true, state: true, updated_at: true })

/** Locks rules against changes until the transaction ends. Returns those that were not changed since they were read. */
export async function holdUnchanged(tx: Db, read: readonly Rule[]): Promise<ReadonlySet<string>> {
  const held = await tx.any(sql.type(Version)`
    select ${getColumns(Version)} from automation.rules where id = any(${sql.array(
      read.map(({ id }) => id),
      'uuid',
    )})
    order by id for share`)
  const now = new Map(held.map((version) => [version.id, version]))
  const isSame = ({ id, state, updated_at }: Rule) =>
    now.get(id)?.state === state && now.get(id)?.updated_at.getTime() === updated_at.getTime()
  return new Set(read.filter(isSame).map(({ id }) => id))
}

export async function findMany(db: Db, ids: readonly string[]): Promise<readonly Rule[]> {
  return await db.any(sql.type(Rule)`
    select ${table.columns()} from automation.rules where id = any(${sql.array([...ids], 'uuid')})`)
}
