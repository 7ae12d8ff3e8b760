import { isIP } from 'node:net'
import { configuredAppUrl } from '#lib/config.ts'
import { Problem } from '#lib/errors.ts'
import * as platform from '#sql/account/platform.ts'
import type { Db } from '#sql/db.ts'

const configured = configuredAppUrl()

/** What passkeys are made for, and where they may be used; throws 409 where they cannot be. */
export interface RelyingParty {
  rpId: string
  origin: string
}

/**
 * The relying party of a page at `origin`: its name is that of APP_URL or PUBLIC_URL when the first passkey is made (`fix`), and stays
 * so; it is never what a request says. A page at another name is told, as its browser would refuse anyway.
 */
export async function relyingParty(db: Db, origin: string, { fix = false } = {}): Promise<RelyingParty> {
  const { hostname } = new URL(origin)
  const wanted = configured ? new URL(configured).hostname : 'localhost'
  const known = await platform.findRpId(db)
  if (known === null && isIP(wanted.replace(/[[\]]/g, '')) !== 0)
    throw elsewhere('must be a host name: passkeys do not work with an IP address')
  const rpId = known ?? (fix ? await platform.fixRpId(db, wanted) : wanted)
  if (hostname !== rpId && !hostname.endsWith(`.${rpId}`)) throw elsewhere(rpId)
  return { rpId, origin: configured?.startsWith('https:') ? new URL(configured).origin : origin }
}

const elsewhere = (where: string) =>
  new Problem(409, 'conflict', `Passkeys work only when you open the dashboard at ${where}.`)
