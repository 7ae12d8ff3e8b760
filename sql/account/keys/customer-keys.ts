import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { getColumns } from '../../table.ts'
import * as keys from '../keys.ts'

/**
 * Returns a condition on the organisation `o`: its ID matches, or its name contains the search string. If the search
 * string is an ID, only that ID matches.
 */
export function organisationMatches(search: string | undefined): FragmentSqlToken {
  if (!search) return sql.fragment`true`
  if (Id.safeParse(search).success) return sql.fragment`o.id = ${search}`
  return sql.fragment`strpos(lower(o.name), lower(${search})) > 0`
}

export const isActiveKey = sql.fragment`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`

export const KeyState = z.enum(['good', 'unused', 'expiring', 'ended'])

/**
 * `unused`: days without use after which a key is unused. `expiring`: days before its expiry from which a key is
 * expiring.
 */
export const keyDays = { unused: 30, expiring: 14 } as const

const stateOf: Record<z.infer<typeof KeyState>, FragmentSqlToken> = {
  good: isActiveKey,
  unused: sql.fragment`${isActiveKey} and coalesce(k.last_used_at, k.created_at) < now() - ${keyDays.unused} * interval '1 day'`,
  expiring: sql.fragment`${isActiveKey} and k.expires_at < now() + ${keyDays.expiring} * interval '1 day'`,
  ended: sql.fragment`not (${isActiveKey})`,
}

export interface KeyFilter {
  state: z.infer<typeof KeyState>
  start?: string | undefined
  /** Part of the organisation’s name, ignoring case, or its complete ID. */
  org?: string | undefined
}

const ListedKey = keys.Key.extend({ org_name: z.string(), starts: z.array(z.string()) })

export type ListedKey = z.infer<typeof ListedKey>

/** Returns keys of all organisations, newest first, before the key `before`. */
export async function listKeys(
  db: Db,
  { state, start, org, before, limit }: KeyFilter & { before?: string | undefined; limit: number },
): Promise<readonly ListedKey[]> {
  const begins = start
    ? sql.fragment`exists (select from account.key_secrets as s where s.key_id = k.id and starts_with(s.start, ${start}))`
    : sql.fragment`true`
  return await db.any(sql.type(ListedKey)`
    select ${getColumns(keys.Key, 'k')}, o.name as org_name, array(
      select s.start from account.key_secrets as s where s.key_id = k.id and s.revoked_at is null
        and (s.expires_at is null or s.expires_at > now()) order by s.id desc) as starts
    from account.keys as k join account.orgs as o on o.id = k.org_id
    where ${stateOf[state]} and ${begins} and ${organisationMatches(org)}
      and (${before ?? null}::uuid is null or k.id < ${before ?? null}::uuid)
    order by k.id desc limit ${limit}`)
}
