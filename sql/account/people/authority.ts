import type { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import * as secrets from '../keys/secrets.ts'
import * as keys from '../keys.ts'
import * as members from './members.ts'

const KeyNow = keys.table.Row.pick({
  scopes: true,
  locks: true,
  mode: true,
  networks: true,
  rate_per_minute: true,
  expires_at: true,
})

export type KeyNow = z.infer<typeof KeyNow>

const good = sql.fragment`revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`

/**
 * Returns the current state of a key and locks the key against revocation until the transaction ends. `null` if the key
 * has ended.
 */
export async function shareKey(tx: Db, orgId: string, id: string): Promise<KeyNow | null> {
  return await tx.maybeOne(sql.type(KeyNow)`
    select scopes, locks, mode, networks, rate_per_minute, expires_at from account.keys
    where org_id = ${orgId} and id = ${id} and ${good} for share`)
}

const Secret = secrets.table.Row.pick({ expires_at: true })

/** Returns the expiry of a secret and locks the secret until the transaction ends. `null` if the secret has ended. */
export async function shareSecret(tx: Db, keyId: string, id: string): Promise<z.infer<typeof Secret> | null> {
  return await tx.maybeOne(sql.type(Secret)`
    select expires_at from account.key_secrets where key_id = ${keyId} and id = ${id} and ${good} for share`)
}

const MemberNow = members.table.Row.pick({ role: true })

/**
 * Returns the current role of a member and locks the member until the transaction ends. `null` for other users and
 * disabled users.
 */
export async function shareMember(tx: Db, orgId: string, userId: string): Promise<members.Role | null> {
  return await tx.maybeOneFirst(sql.type(MemberNow)`
    select m.role from account.members as m join account.users as u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = ${userId} and u.disabled_at is null for share of m, u`)
}
