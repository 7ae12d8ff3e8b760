import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf } from '../table.ts'
import * as keys from './keys.ts'

/** Whether the organisation `o` has that id, or else what is searched for in its name: nobody is found by being named as another's id. */
export function isNamed(search: string | undefined): FragmentSqlToken {
  if (!search) return sql.fragment`true`
  if (Id.safeParse(search).success) return sql.fragment`o.id = ${search}`
  return sql.fragment`strpos(lower(o.name), lower(${search})) > 0`
}

/** Whether the key `k` is neither revoked nor expired. */
export const isGood = sql.fragment`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`

/** Which keys operators look for. */
export const KeyState = z.enum(['good', 'unused', 'expiring', 'ended'])

/** Days without use after which a key is one that nobody uses, and before its end at which it is one that ends soon. */
export const keyDays = { unused: 30, expiring: 14 } as const

const stateOf: Record<z.infer<typeof KeyState>, FragmentSqlToken> = {
  good: isGood,
  unused: sql.fragment`${isGood} and coalesce(k.last_used_at, k.created_at) < now() - ${keyDays.unused} * interval '1 day'`,
  expiring: sql.fragment`${isGood} and k.expires_at < now() + ${keyDays.expiring} * interval '1 day'`,
  ended: sql.fragment`not (${isGood})`,
}

/** What operators narrow the list of keys to. */
export interface KeyFilter {
  state: z.infer<typeof KeyState>
  /** How one of its secrets begins, as far as that is kept. */
  start?: string | undefined
  /** A piece of the organisation's name whatever its case, or its whole id. */
  org?: string | undefined
}

const ListedKey = keys.Key.extend({ org_name: z.string(), starts: z.array(z.string()) })

/** A key as the list of all shows it: whose it is, and how its secrets that are not revoked begin. */
export type ListedKey = z.infer<typeof ListedKey>

/** Keys of all organisations, newest first, before the one with id `before`. */
export async function listKeys(
  db: Db,
  { state, start, org, before, limit }: KeyFilter & { before?: string | undefined; limit: number },
): Promise<readonly ListedKey[]> {
  const begins = start
    ? sql.fragment`exists (select from account.key_secrets as s where s.key_id = k.id and starts_with(s.start, ${start}))`
    : sql.fragment`true`
  return await db.any(sql.type(ListedKey)`
    select ${columnsOf(keys.Key, 'k')}, o.name as org_name, array(
      select s.start from account.key_secrets as s where s.key_id = k.id and s.revoked_at is null
        and (s.expires_at is null or s.expires_at > now()) order by s.id desc) as starts
    from account.keys as k join account.orgs as o on o.id = k.org_id
    where ${stateOf[state]} and ${begins} and ${isNamed(org)}
      and (${before ?? null}::uuid is null or k.id < ${before ?? null}::uuid)
    order by k.id desc limit ${limit}`)
}
