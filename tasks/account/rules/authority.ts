import { forbidden, unauthorized } from '#lib/errors.ts'
import * as now from '#sql/account/people/authority.ts'
import * as members from '#sql/account/people/members.ts'
import type { Db } from '#sql/db.ts'
import type { Authority, Doer } from './doer.ts'
import { type Grantor, grantorWith } from './grant.ts'
import { canRole, getRoleScopes, type Permission } from './roles.ts'

/**
 * Returns the current permissions of the actor, locked against revocation until the transaction ends. Every rule that
 * grants something calls it first. Locks the people and keys of the organisation. Throws 401 for an ended key, and 403
 * for other users or a missing permission.
 */
export async function readAuthority(tx: Db, doer: Doer, permission?: Permission): Promise<Authority> {
  await members.lock(tx, doer.orgId)
  const { kind, id } = doer.actor
  if (kind === 'key') return { role: 'admin', grantor: await keyNow(tx, doer, id ?? '') }
  if (kind !== 'user') return { role: 'owner', grantor: grantorWith(getRoleScopes('owner')) }
  const role = await now.shareMember(tx, doer.orgId, id ?? '')
  if (!role) throw forbidden('You are no longer a member of this organisation.')
  if (permission && !canRole(role, permission)) throw forbidden(`Your role, ${role}, does not permit this.`)
  return { role, grantor: grantorWith(getRoleScopes(role)) }
}

async function keyNow(tx: Db, { orgId, secretId }: Doer, keyId: string): Promise<Grantor> {
  const key = await now.shareKey(tx, orgId, keyId)
  const secret = secretId === undefined ? { expires_at: null } : await now.shareSecret(tx, keyId, secretId)
  if (!key || !secret) throw unauthorized('This API key is unknown or revoked.')
  const ends = [key.expires_at, secret.expires_at].filter((at) => at !== null).sort((a, b) => a.getTime() - b.getTime())
  return { ...key, expires_at: ends[0] ?? null }
}

export async function demandOwner(tx: Db, doer: Doer, permission: Permission, words: string): Promise<string> {
  if (doer.actor.kind !== 'user' || doer.actor.id === null) throw forbidden(words)
  const { role } = await readAuthority(tx, doer)
  if (!canRole(role, permission)) throw forbidden(words)
  return doer.actor.id
}
