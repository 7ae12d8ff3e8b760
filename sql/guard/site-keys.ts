import * as keys from '../account/keys.ts'
import { type Db, sql } from '../db.ts'
import type { Site } from './sites.ts'

/** Creates the public key of a site, for pages of its origins. Returns the key itself. */
export async function createKey(tx: Db, site: Pick<Site, 'id' | 'org_id' | 'name' | 'origins'>): Promise<string> {
  const wanted = { orgId: site.org_id, prefix: 'bt_site_', name: site.name, scopes: ['guard:challenge'] } as const
  const locks = { site_id: site.id, origins: site.origins }
  return (await keys.create(tx, { ...wanted, scopes: [...wanted.scopes], locks })).secret
}

/** Changes the origins of a site’s keys. Every process applies the change within seconds. */
export async function setOrigins(tx: Db, { id, org_id, origins }: Site): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.keys set locks = locks || ${sql.jsonb({ origins })}
    where org_id = ${org_id} and locks->>'site_id' = ${id} and revoked_at is null`)
}

/** Revokes a site’s keys. Every process applies the change within seconds. */
export async function revokeAll(tx: Db, orgId: string, siteId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update account.keys set revoked_at = now()
    where org_id = ${orgId} and locks->>'site_id' = ${siteId} and revoked_at is null`)
}
