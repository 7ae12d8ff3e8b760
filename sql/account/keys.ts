import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret, type KeyPrefix, makeKey } from '#lib/tokens.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'
import { Plan } from './plans.ts'

/** What a key is restricted to; a missing lock restricts nothing. */
export const Locks = z.object({
  /** Domains whose addresses this key may send from. */
  from_domains: z.array(z.string()).optional(),
  /** The one app this key may speak for. */
  app_id: z.string().optional(),
  /** The one site of the guard area this key may speak for. */
  site_id: z.string().optional(),
  /** Origins of the pages that may use this key. */
  origins: z.array(z.string()).optional(),
  /** The one tenant of the files area whose objects this key may reach. */
  tenant_id: z.string().optional(),
})

/** What a key is restricted to. */
export type Locks = z.infer<typeof Locks>

/** API keys of organisations. */
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
  }),
)

/** A key as its owner sees it; the secret itself is stored nowhere. */
export const Key = table.Row.omit({ hash: true })

/** A row of `account.keys` without its hash. */
export type Key = z.infer<typeof Key>

/** Who asks: a key that is not revoked, its organisation and its plan. */
export const Caller = z.object({
  key: Key.pick({ id: true, prefix: true, name: true, scopes: true, locks: true }),
  org: z.object({ id: Id, name: z.string(), plan: z.string(), closing: z.boolean() }),
  plan: Plan,
})

/** Who asks. */
export type Caller = z.infer<typeof Caller>

const columns = columnsOf(Key)

/** Makes a key; `secret` is the only copy there will ever be. */
export async function create(
  db: Db,
  wanted: { orgId: string; prefix: KeyPrefix; name: string; scopes: string[]; locks?: Locks; secret?: string },
): Promise<Key & { secret: string }> {
  const secret = wanted.secret ?? makeKey(wanted.prefix)
  const row = {
    id: newId(),
    org_id: wanted.orgId,
    hash: hashSecret(secret),
    prefix: wanted.prefix,
    name: wanted.name,
    scopes: sql.array(wanted.scopes, 'text'),
    locks: wanted.locks ?? {},
  }
  const key = await db.one(sql.type(Key)`${table.insert(row)} returning ${columns}`)
  return { ...key, secret }
}

/** The caller that a secret's hash stands for, of any organisation; null for unknown and revoked keys. */
export async function findCaller(db: Db, hash: string): Promise<Caller | null> {
  return await db.maybeOne(sql.type(Caller)`
    select
      json_build_object('id', k.id, 'prefix', k.prefix, 'name', k.name, 'scopes', k.scopes, 'locks', k.locks) as key,
      json_build_object('id', o.id, 'name', o.name, 'plan', o.plan, 'closing', account.is_closing(o.id)) as org,
      to_json(p) as plan
    from account.keys as k
    join account.orgs as o on o.id = k.org_id
    join account.plans as p on p.name = o.plan
    where k.hash = ${hash} and k.revoked_at is null`)
}

/** Those of these keys, of any organisation, that are not revoked. */
export async function liveOf(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const live = await db.anyFirst(sql.type(table.Row.pick({ id: true }))`
    select id from account.keys where id = any(${sql.array([...ids], 'uuid')}) and revoked_at is null`)
  return new Set(live)
}

/** The keys of an organisation, newest first. */
export async function list(db: Db, orgId: string): Promise<readonly Key[]> {
  return await db.any(sql.type(Key)`
    select ${columns} from account.keys where org_id = ${orgId} order by created_at desc, id desc`)
}

/** Ends a key for good; every process refuses it within seconds. Returns false when there was none to end. */
export async function revoke(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update account.keys set revoked_at = now() where org_id = ${orgId} and id = ${id} and revoked_at is null`)
  return rowCount > 0
}

/** The keys of all organisations, newest first; those that are revoked only when asked for. */
export async function listAny(db: Db, { revoked }: { revoked: boolean }): Promise<readonly Key[]> {
  return await db.any(sql.type(Key)`
    select ${columns} from account.keys where ${revoked} or revoked_at is null order by created_at desc, id desc`)
}

/** The key with that id, of any organisation. */
export async function findAny(db: Db, id: string): Promise<Key | null> {
  return await db.maybeOne(sql.type(Key)`select ${columns} from account.keys where id = ${id}`)
}

/** Records when keys were last used, at most once a minute each; of any organisation. */
export async function touchAll(db: Db, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return
  const rows = [...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, at]) => [id, at.toISOString()])
  await db.query(sql.typeAlias('void')`
    update account.keys as k set last_used_at = u.at
    from ${sql.unnest(rows, ['uuid', 'timestamptz'])} as u (id, at)
    where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at - interval '1 minute')`)
}
