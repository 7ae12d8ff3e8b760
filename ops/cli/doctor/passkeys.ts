import { isIP } from 'node:net'
import * as platform from '#sql/account/platform.ts'
import type { Db } from '#sql/db.ts'
import { dashboardUrl } from './dashboard.ts'
import { type Finding, fault, well } from './finding.ts'

/** Checks whether the dashboard is at the host name of its passkeys. At a different host name, no passkey works. */
export async function checkPasskeys(db: Db): Promise<Finding> {
  const { hostname } = await dashboardUrl()
  const fixed = await platform.findRpId(db)
  if (fixed === null) {
    if (isIP(hostname.replace(/[[\]]/g, '')) === 0)
      return well('passkeys', `none yet; the first one will fix the name ${hostname}`)
    return fault(
      'passkeys',
      `the dashboard is at ${hostname}, and passkeys need a host name`,
      'set APP_URL to a host name',
    )
  }
  const found = `they work at ${fixed}, and the dashboard is at ${hostname}`
  if (hostname === fixed || hostname.endsWith(`.${fixed}`)) return well('passkeys', found)
  return fault('passkeys', found, `set APP_URL to a URL at ${fixed}, because passkeys of members work only there`)
}
