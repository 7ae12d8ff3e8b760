import { config } from '#lib/config.ts'
import { getDomain } from '#lib/email-address.ts'
import { Permanent } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as platform from '#sql/account/platform.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { verifyByOperator } from '#sql/email/delivery/vouching.ts'
import * as domains from '#sql/email/domains.ts'
import { acceptMessages } from '../../email/rules/accept-messages.ts'
import { createKeys } from '../../email/rules/domains/make-keys.ts'
import type { RenderedLetter } from './letter.ts'

export interface PlatformSender {
  orgId: string
  address: string
}

export interface PlatformMail extends RenderedLetter {
  to: string
}

export const platformFrom = (): string => config.MAIL_PLATFORM_FROM?.toLowerCase() ?? `no-reply@${config.MAIL_HOSTNAME}`

export async function platformSender(db: DatabasePool, secret: string): Promise<PlatformSender> {
  const address = platformFrom()
  const name = getDomain(address)
  const known = await platform.findOrgId(db)
  if (known && (await isUsable(db, known, name, secret))) return { orgId: known, address }
  const orgId = known ?? (await db.transaction(platform.makeOrg))
  const id = newId()
  const keys = await createKeys(orgId, id, secret)
  await db.transaction(async (tx) => {
    await platform.makeOrg(tx)
    if (await isUsable(tx, orgId, name, secret)) return
    await domains.remove(tx, orgId, name)
    const row = { id, org_id: orgId, domain: name, return_path: `bounce.${name}` }
    await domains.insert(tx, row, keys, Number.MAX_SAFE_INTEGER)
    await verifyByOperator(tx, id)
  })
  return { orgId, address }
}

async function isUsable(db: Db, orgId: string, name: string, secret: string): Promise<boolean> {
  const domain = await domains.find(db, orgId, name)
  if (domain?.status !== 'verified') return false
  const seal = createSeal(secret, domains.sealPurpose)
  const keys = await domains.listKeys(db, [domain.id])
  return keys.length > 0 && keys.every((key) => seal.open(key.private_key, domains.keyAbout(key.id)) !== null)
}

export async function sendPlatformMail(tx: Db, sender: PlatformSender, mail: PlatformMail): Promise<void> {
  const [refused] = await sendPlatformMails(tx, sender, [mail])
  if (refused !== undefined) throw new Permanent(`The platform email was rejected: ${refused}`)
}

/**
 * Sends platform emails when the transaction commits. Returns the reasons for rejected emails. The other emails are
 * still sent.
 */
export async function sendPlatformMails(
  tx: Db,
  sender: PlatformSender,
  mails: readonly PlatformMail[],
): Promise<readonly string[]> {
  const results = await acceptMessages(
    tx,
    mails.map((mail) => ({
      ...mail,
      message: { org_id: sender.orgId, key_id: null, sandbox: false, stream: 'security' as const },
      content: {},
      fromDomains: undefined,
      from: { email: sender.address, name: 'Millrace' },
    })),
  )
  return results.flatMap((result) => ('message' in result ? [] : JSON.stringify(result)))
}
