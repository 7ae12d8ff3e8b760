import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { CallStatus } from './action-calls.ts'

export const Parameter = z.object({
  type: z.enum(['string', 'integer', 'number', 'boolean']),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
})

export const Parameters = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), Parameter),
  required: z.array(z.string()),
})

export type Parameters = z.infer<typeof Parameters>

export const table = defineTable(
  'bots',
  'actions',
  z.object({
    id: Id,
    bot_id: Id,
    name: z.string(),
    description: z.string(),
    url: z.string(),
    parameters: Parameters,
    triggers: z.array(z.string()),
    secret: z.string(),
    enabled: z.boolean(),
    timeouts: z.number(),
    paused_until: z.date().nullable(),
    created_at: z.date(),
  }),
)

type Row = z.infer<typeof table.Row>

/** Purpose of the encryption. The action’s ID is the associated data. */
export const sealPurpose = 'bot action secrets'

const Told = table.Row.omit({ secret: true, timeouts: true, paused_until: true })
const View = Told.extend({
  called_at: z.date().nullable(),
  called_status: CallStatus.nullable(),
  called_error: z.string().nullable(),
})

export type Action = z.infer<typeof View>

const view = sql.fragment`
  select ${getColumns(Told, 'a')}, c.created_at as called_at, c.status as called_status, c.error ->> 'message' as called_error
  from bots.actions as a
  left join lateral (
    select created_at, status, error from bots.action_calls where action_id = a.id order by id desc limit 1) as c on true`

export type ActionInput = Pick<Row, 'name' | 'description' | 'url' | 'parameters' | 'triggers' | 'enabled'>

const texts = (triggers: readonly string[]) => sql.array(triggers, 'text') as never

export async function insert(tx: Db, action: ActionInput & Pick<Row, 'id' | 'bot_id' | 'secret'>): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert({ ...action, triggers: texts(action.triggers) })}`)
}

export async function listNames(db: Db, botId: string): Promise<readonly Pick<Row, 'id' | 'name'>[]> {
  return await db.any(sql.type(table.Row.pick({ id: true, name: true }))`
    select id, name from bots.actions where bot_id = ${botId}`)
}

export async function find(db: Db, botId: string, id: string): Promise<Action | null> {
  return await db.maybeOne(sql.type(View)`${view} where a.id = ${id} and a.bot_id = ${botId}`)
}

export async function list(db: Db, botId: string, { before, limit }: Part): Promise<readonly Action[]> {
  return await db.any(sql.type(View)`
    ${view} where a.bot_id = ${botId} and (${before ?? null}::uuid is null or a.id < ${before ?? null})
    order by a.id desc limit ${limit}`)
}

export async function update(
  tx: Db,
  botId: string,
  id: string,
  { triggers, ...changes }: { [K in keyof ActionInput | 'secret']?: Row[K] | undefined },
): Promise<boolean> {
  const set = table.set({ ...changes, ...(triggers && { triggers: texts(triggers) }) })
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update bots.actions set ${set}, timeouts = 0, paused_until = null where id = ${id} and bot_id = ${botId}`)
  return rowCount === 1
}

export async function remove(tx: Db, botId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from bots.actions where id = ${id} and bot_id = ${botId}`)
  return rowCount === 1
}

const ActionForEngine = table.Row.pick({ id: true, name: true, description: true, parameters: true, triggers: true })

export type Offer = z.infer<typeof ActionForEngine>

/** Returns the actions that a bot can call in a conversation of an organisation. The organisation must own the bot. */
export async function listCallable(db: Db, botId: string, orgId: string): Promise<readonly Offer[]> {
  return await db.any(sql.type(ActionForEngine)`
    select ${getColumns(ActionForEngine, 'a')} from bots.actions as a join bots.bots as b on b.id = a.bot_id
    where a.bot_id = ${botId} and a.enabled and b.org_id = ${orgId} order by a.id`)
}

const Target = table.Row.pick({ url: true, secret: true, name: true, parameters: true }).extend({ paused: z.boolean() })

export type Target = z.infer<typeof Target>

/** Returns the current action with its encrypted secret. Returns `null` if it was deleted or disabled. */
export async function findEnabled(db: Db, id: string): Promise<Target | null> {
  return await db.maybeOne(sql.type(Target)`
    select url, secret, name, parameters, coalesce(paused_until > now(), false) as paused
    from bots.actions where id = ${id} and enabled`)
}
