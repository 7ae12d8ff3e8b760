import * as keys from '../account/keys.ts'
import { type Db, sql } from '../db.ts'
import type { Site } from './sites.ts'

/** Creates the public key of a site, for pages of its origins. Returns the key itself. */
export async function createKey(tx: Db, site: Pick<Site, 'id' | 'org_id' | 'name' | 'origins'>): Promise<string> {
  const wanted = { orgId: site.org_id, prefix: 'bt_site_', name: site.name, scopes: ['guard:challenge'] } as const
  const locks = { site_id: site.id, origins: site.origins }
  return (await keys.create(tx, { ...wanted, scopes: [...wanted.scopes], locks })).secret
}

/** End of the name of a secret. It distinguishes secrets of sites from keys that a member has locked to a site. */
const secretMark = ': siteverify'

/** Creates the secret of a site, with which servers and plugins verify its tokens. Returns the secret itself. */
export async function createSecret(tx: Db, site: Pick<Site, 'id' | 'org_id' | 'name'>): Promise<string> {
  const name = `${site.name.slice(0, 200 - secretMark.length)}${secretMark}`
  const wanted = { orgId: site.org_id, prefix: 'bt_live_', name, scopes: ['guard:verify'] } as const
  return (await keys.create(tx, { ...wanted, scopes: [...wanted.scopes], locks: { site_id: site.id } })).secret
}

const isSecretOf = (orgId: string, siteId: string) => sql.fragment`
  org_id = ${orgId} and locks = ${sql.jsonb({ site_id: siteId })} and scopes = '{guard:verify}'
  and name like ${`%${secretMark}`} and revoked_at is null`

export async function hasSecret(db: Db, orgId: string, siteId: string): Promise<boolean> {
  return await db.exists(sql.unsafe`select from account.keys where ${isSecretOf(orgId, siteId)}`)
}

/** Revokes the secrets of a site that were created for plugins. */
export async function revokeSecrets(tx: Db, orgId: string, siteId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.keys set revoked_at = now() where ${isSecretOf(orgId, siteId)}`)
}

/** Revokes the public keys of a site. Every process applies the change within seconds. */
export async function revokePublic(tx: Db, orgId: string, siteId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.keys set revoked_at = now()
    where org_id = ${orgId} and locks->>'site_id' = ${siteId} and prefix = 'bt_site_' and revoked_at is null`)
}

/** Changes the origins of a site’s keys. Every process applies the change within seconds. */
export async function setOrigins(tx: Db, { id, org_id, origins }: Site): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.keys set locks = locks || ${sql.jsonb({ origins })}
    where org_id = ${org_id} and locks->>'site_id' = ${id} and prefix = 'bt_site_' and revoked_at is null`)
}

/** Revokes a site’s keys. Every process applies the change within seconds. */
export async function revokeAll(tx: Db, orgId: string, siteId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.keys set revoked_at = now()
    where org_id = ${orgId} and locks->>'site_id' = ${siteId} and revoked_at is null`)
}
