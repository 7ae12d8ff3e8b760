import { appUrl, config, isSet } from '#lib/config.ts'
import { getDomain } from '#lib/email-address.ts'
import { platformFrom } from '#tasks/account/rules/platform-mail.ts'
import { readStackFacts } from '../session.ts'
import { type Finding, fault, well } from './finding.ts'

/** Returns the configured URL of the dashboard. Default: the URL of the stack that was started here. */
export async function dashboardUrl(): Promise<URL> {
  return new URL(isSet('APP_URL') || isSet('PUBLIC_URL') ? appUrl() : ((await readStackFacts()).app_url ?? appUrl()))
}

export const checkDashboard = async (): Promise<Finding[]> => [cookies(await dashboardUrl()), await sender()]

function cookies({ protocol, hostname, origin }: URL): Finding {
  if (protocol === 'https:') return well('dashboard', `its URL is ${origin}, and its cookies require https`)
  if (isThisMachine(hostname)) return well('dashboard', `its URL is ${origin}, for browsers on this machine`)
  return fault(
    'dashboard',
    `its URL is ${origin}, so session cookies of members are sent unencrypted`,
    'terminate TLS at a proxy, and set APP_URL (or PUBLIC_URL) to its https:// URL',
  )
}

const isThisMachine = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.endsWith('.localhost') || /^127\.[\d.]+$/.test(hostname)

/** A development stack sets its own sender and catches its email. */
async function sender(): Promise<Finding> {
  const { database_url } = await readStackFacts()
  if (!isSet('MAIL_PLATFORM_FROM') && database_url && (config.DATABASE_URL ?? database_url) === database_url)
    return well('dashboard', 'sign-in codes and invitations are sent with the settings of the stack started here')
  const from = platformFrom()
  const found = `sign-in codes and invitations are sent from ${from}`
  if (getDomain(from) !== 'localhost') return well('dashboard', found)
  return fault(
    'dashboard',
    `${found}, and other servers reject email from it`,
    'set MAIL_PLATFORM_FROM or MAIL_HOSTNAME',
  )
}
