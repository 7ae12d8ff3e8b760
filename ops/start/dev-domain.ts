import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type Db, openPool } from '#sql/db.ts'
import { verifyByOperator } from '#sql/email/delivery/vouching.ts'
import * as domains from '#sql/email/domains.ts'
import { createKeys } from '#tasks/email/rules/domains/make-keys.ts'

/** Domain for development email. Names under `example` are reserved (RFC 2606). */
export const devDomain = 'dev.example'

/**
 * Adds the verified domain of the organisation `dev`, with DKIM keys encrypted by this secret. Does not change an
 * existing domain.
 */
export async function seedDomain(databaseUrl: string, secret: string): Promise<void> {
  const db = await openPool(databaseUrl, 1)
  try {
    const org = await orgs.findByName(db, 'dev')
    if (!org || (await isUsable(db, org.id, secret))) return
    const id = newId()
    const keys = await createKeys(org.id, id, secret)
    await db.transaction(async (tx) => {
      await domains.remove(tx, org.id, devDomain)
      const row = { id, org_id: org.id, domain: devDomain, return_path: `bounce.${devDomain}` }
      if (!(await domains.insert(tx, row, keys, Number.MAX_SAFE_INTEGER)))
        throw new Error(`The domain ${devDomain} could not be added to the organisation dev.`)
      await verifyByOperator(tx, id)
    })
  } finally {
    await db.end()
  }
}

async function isUsable(db: Db, orgId: string, secret: string): Promise<boolean> {
  const domain = await domains.find(db, orgId, devDomain)
  if (domain?.status !== 'verified') return false
  const seal = createSeal(secret, domains.sealPurpose)
  const keys = await domains.listKeys(db, [domain.id])
  return keys.length > 0 && keys.every((key) => seal.open(key.private_key, domains.keyAbout(key.id)) !== null)
}
