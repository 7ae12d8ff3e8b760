import { isIP } from 'node:net'
import { configuredAppUrl } from '#lib/config.ts'
import { Problem } from '#lib/errors.ts'
import * as platform from '#sql/account/platform.ts'
import type { Db } from '#sql/db.ts'

const configured = configuredAppUrl()

export interface RelyingParty {
  rpId: string
  origin: string
}

/**
 * Returns the relying party for a page at `origin`. The first passkey (`fix`) sets its name to the host of APP_URL or
 * PUBLIC_URL. The name never changes and never comes from a request. Other origins get an error, because browsers would
 * reject them.
 */
export async function getRelyingParty(db: Db, origin: string, { fix = false } = {}): Promise<RelyingParty> {
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
