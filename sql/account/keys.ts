import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret, type KeyPrefix, makeKey } from '#lib/tokens.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { isOpen } from './closures.ts'
import * as secrets from './keys/secrets.ts'
import { Plan } from './plans.ts'

export const Locks = z.object({
  from_domains: z.array(z.string()).optional(),
  app_id: z.string().optional(),
  site_id: z.string().optional(),
  origins: z.array(z.string()).optional(),
  tenant_id: z.string().optional(),
  /** False if the key can neither start nor end telephone calls. */
  calls: z.literal(false).optional(),
})

export type Locks = z.infer<typeof Locks>

/** AI limits of a key. Amounts are billionths of the currency. */
export const KeyAi = z.object({
  /** Names that the key can request. Undefined: any model. */
  models: z.array(z.string()).optional(),
  budget: z.object({ currency: z.string(), monthly: z.number().optional(), daily: z.number().optional() }).optional(),
})

export type KeyAi = z.infer<typeof KeyAi>

/** Messages of test keys are recorded but not delivered. */
export const Mode = z.enum(['live', 'test'])

export const table = defineTable(
  'account',
  'keys',
  z.object({
    id: Id,
    org_id: Id,
    hash: z.string(),
    prefix: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    locks: Locks,
    created_at: z.date(),
    last_used_at: z.date().nullable(),
    revoked_at: z.date().nullable(),
    mode: Mode,
    created_by: z.string().nullable(),
    expires_at: z.date().nullable(),
    rate_per_minute: z.number().nullable(),
    networks: z.array(z.string()).nullable(),
    note: z.string().nullable(),
    /**
     * The key that created this key. This key ends when its creator ends. `null` if a member created this key or an
     * owner confirmed it.
     */
    made_by_key: Id.nullable(),
    /** These limits also apply to keys that this key created. `null`: no limits. */
    ai: KeyAi.nullable(),
    /** Name of the program that requested the key with a device login. It is not verified. */
    client_name: z.string().nullable(),
  }),
)

export const Key = table.Row.omit({ hash: true })

export type Key = z.infer<typeof Key>

export const Caller = z.object({
  key: Key.pick({
    id: true,
    prefix: true,
    name: true,
    scopes: true,
    locks: true,
    mode: true,
    rate_per_minute: true,
    networks: true,
  }).extend({
    secret_id: Id,
    /** Earliest expiry of the key, the secret and the keys that created the key, in milliseconds since 1970. */
    expires_at: z.number().nullable(),
    /** True if the secret was used before. */
    proven: z.boolean(),
    /** The creating keys that have their own rate. Requests with this key also count for them. */
    makers: z.array(z.object({ id: Id, rate_per_minute: z.number() })),
  }),
  org: z.object({
    id: Id,
    name: z.string(),
    plan: z.string(),
    closing: z.boolean(),
    moving: z.boolean(),
    moved: z.string().nullable(),
  }),
  plan: Plan,
})

export type Caller = z.infer<typeof Caller>

const columns = getColumns(Key)

/** Excludes the key for requests from the dashboard, which has no secret and cannot be managed. */
export const managed = sql.fragment`hash not like 'dashboard %'`

export interface NewKey {
  orgId: string
  prefix: KeyPrefix
  name: string
  scopes: string[]
  locks?: Locks | undefined
  secret?: string | undefined
  mode?: Key['mode'] | undefined
  created_by?: string | undefined
  expires_at?: Date | null | undefined
  rate_per_minute?: number | null | undefined
  networks?: readonly string[] | null | undefined
  note?: string | null | undefined
  made_by_key?: string | null | undefined
  ai?: KeyAi | null | undefined
  client_name?: string | null | undefined
}

export async function create(db: Db, wanted: NewKey): Promise<Key & { secret: string }> {
  const { orgId, secret = makeKey(wanted.prefix), scopes, locks = {}, networks, ...facts } = wanted
  const row = {
    mode: facts.prefix.includes('_test_') ? ('test' as const) : ('live' as const),
    ...facts,
    id: newId(),
    org_id: orgId,
    hash: hashSecret(secret),
    scopes: sql.array(scopes, 'text'),
    locks,
    networks: arrayOf(networks),
  }
  return await db.transaction(async (tx) => {
    const key = await tx.one(sql.type(Key)`${table.insert(row)} returning ${columns}`)
    await secrets.insert(tx, { keyId: key.id, prefix: facts.prefix, secret })
    return { ...key, secret }
  })
}

const arrayOf = (networks: readonly string[] | null | undefined) =>
  networks ? sql.array([...networks], 'cidr') : networks

export type Change = Partial<Pick<Key, 'name' | 'note' | 'expires_at' | 'rate_per_minute' | 'networks' | 'ai'>>

export async function change(db: Db, orgId: string, id: string, { networks, ...facts }: Change): Promise<Key | null> {
  return await db.maybeOne(sql.type(Key)`
    update account.keys set ${table.set({ ...facts, networks: arrayOf(networks) })}
    where org_id = ${orgId} and id = ${id} and revoked_at is null returning ${columns}`)
}

export const findCaller = async (db: Db, hash: string): Promise<Caller | null> => current(await findPresented(db, hash))

/**
 * Returns the caller with this key ID, in any organisation. For tokens that the key issued. `null` if the key is
 * revoked or expired, or its organisation is closing.
 */
export const findHolder = async (db: Db, id: string): Promise<Caller | null> => {
  const caller = current(
    await findCallerWhere(
      db,
      sql.fragment`s.id = (
        select id from account.key_secrets where key_id = ${id} and revoked_at is null order by id desc limit 1)`,
    ),
  )
  return caller?.org.closing && !caller.org.moving ? null : caller
}

const current = (caller: Caller | null): Caller | null => (caller && !isExpired(caller) ? caller : null)

export const isExpired = ({ key }: Caller, now = Date.now()): boolean =>
  key.expires_at !== null && key.expires_at <= now

/** Like `findCaller`, but includes expired keys, so that the error can name the reason. */
export const findPresented = (db: Db, hash: string): Promise<Caller | null> =>
  findCallerWhere(db, sql.fragment`s.hash = ${hash}`)

/** Returns the earliest expiry and the rates of the keys that created `k`, directly or indirectly. */
const makersOfKey = sql.fragment`
  with recursive makers as (
    select id, made_by_key, rate_per_minute, expires_at, 1 as depth from account.keys where id = k.made_by_key
    union all
    select m.id, m.made_by_key, m.rate_per_minute, m.expires_at, depth + 1
    from makers join account.keys as m on m.id = makers.made_by_key where depth < 100)
  select min(expires_at) as ends_at,
    coalesce(json_agg(json_build_object('id', id, 'rate_per_minute', rate_per_minute))
      filter (where rate_per_minute is not null), '[]') as makers
  from makers`

async function findCallerWhere(db: Db, is: FragmentSqlToken): Promise<Caller | null> {
  return await db.maybeOne(sql.type(Caller)`
    select
      json_build_object('id', k.id, 'prefix', k.prefix, 'name', k.name, 'scopes', k.scopes, 'locks', k.locks,
        'mode', k.mode, 'rate_per_minute', k.rate_per_minute, 'networks', k.networks, 'secret_id', s.id,
        'expires_at', floor(extract(epoch from least(k.expires_at, s.expires_at, made.ends_at)) * 1000),
        'proven', s.first_used_at is not null, 'makers', made.makers) as key,
      json_build_object('id', o.id, 'name', o.name, 'plan', o.plan, 'closing', account.is_closing(o.id),
        'moving', account.is_moving(o.id), 'moved', (select cell from account.moved where org_id = o.id)) as org,
      to_json(p) as plan
    from account.key_secrets as s
    join account.keys as k on k.id = s.key_id
    join account.orgs as o on o.id = k.org_id
    join account.plans as p on p.name = o.plan
    cross join lateral (${makersOfKey}) as made
    where ${is} and s.revoked_at is null and k.revoked_at is null`)
}

/** Condition for the active keys `k` of a list, in open organisations. */
const isActive = (ids: readonly string[]) => sql.fragment`
  id = any(${sql.array([...ids], 'uuid')}) and revoked_at is null and (expires_at is null or expires_at > now())
  and ${isOpen('k')}`

export async function filterActive(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const live = await db.anyFirst(sql.type(table.Row.pick({ id: true }))`
    select id from account.keys as k where ${isActive(ids)}`)
  return new Set(live)
}

const ActiveKey = table.Row.pick({ id: true, scopes: true }).extend({ is_managed: z.boolean() })

export async function findActive(db: Db, ids: readonly string[]): Promise<readonly z.infer<typeof ActiveKey>[]> {
  return await db.any(sql.type(ActiveKey)`
    select id, scopes, ${managed} as is_managed from account.keys as k where ${isActive(ids)}`)
}

export async function list(db: Db, orgId: string): Promise<readonly Key[]> {
  return await db.any(sql.type(Key)`
    select ${columns} from account.keys where org_id = ${orgId} order by created_at desc, id desc`)
}

export const filters = { revoked: (revoked: boolean) => sql.fragment`(revoked_at is not null) = ${revoked}` }

export async function listPage(
  db: Db,
  orgId: string,
  { where, testOnly = false, before, limit }: Page<typeof filters> & { testOnly?: boolean },
): Promise<readonly Key[]> {
  return await db.any(sql.type(Key)`
    select ${columns} from account.keys
    where org_id = ${orgId} and ${managed} and ${where} and (not ${testOnly} or mode = 'test') and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Returns a key and locks it until the transaction ends. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Key | null> {
  return await tx.maybeOne(sql.type(Key)`
    select ${columns} from account.keys where org_id = ${orgId} and id = ${id} and ${managed} for no key update`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Key | null> {
  return await db.maybeOne(sql.type(Key)`
    select ${columns} from account.keys where org_id = ${orgId} and id = ${id} and ${managed}`)
}

const Room = z.object({ live: z.number(), repeated: z.boolean() })

/** Returns the number of active keys, and whether a key with this name was created in the last minute. */
export async function countRoom(tx: Db, orgId: string, name: string): Promise<z.infer<typeof Room>> {
  return await tx.one(sql.type(Room)`
    select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now())) as live,
      coalesce(bool_or(name = ${name} and created_at > now() - interval '1 minute'), false) as repeated
    from account.keys where org_id = ${orgId} and ${managed}`)
}

/**
 * Revokes a key permanently, with the keys that it created. Every process rejects the keys within seconds. Returns the
 * revoked keys.
 */
export async function revoke(tx: Db, orgId: string, id: string): Promise<readonly Key[]> {
  return await tx.any(sql.type(Key)`
    with recursive ending as (
      select id from account.keys where org_id = ${orgId} and id = ${id} and revoked_at is null and ${managed}
      union
      select k.id from ending join account.keys as k on k.made_by_key = ending.id
      where k.org_id = ${orgId} and k.revoked_at is null)
    update account.keys set revoked_at = now()
    where id in (select id from ending) and revoked_at is null returning ${columns}`)
}

export async function confirm(tx: Db, orgId: string, id: string): Promise<Key> {
  return await tx.one(sql.type(Key)`
    update account.keys set made_by_key = null where org_id = ${orgId} and id = ${id} returning ${columns}`)
}

export async function listAny(db: Db, { revoked }: { revoked: boolean }): Promise<readonly Key[]> {
  return await db.any(sql.type(Key)`
    select ${columns} from account.keys where ${revoked} or revoked_at is null order by created_at desc, id desc`)
}

export async function findAny(db: Db, id: string): Promise<Key | null> {
  return await db.maybeOne(sql.type(Key)`select ${columns} from account.keys where id = ${id}`)
}
