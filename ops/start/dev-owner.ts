import { config } from '#lib/config.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as members from '#sql/account/people/members.ts'
import { openPool } from '#sql/db.ts'
import { inviteByLink } from '#tasks/account/rules/invitations.ts'
import { devDomain } from './dev-domain.ts'

/**
 * Sets the URL of the dashboard in development, and the sender of its email. The URL has a host name, because passkeys
 * do not work with IP addresses.
 */
export const dashboardEnvironment = (baseUrl: string, port: number) => ({
  APP_URL: (config.APP_URL ?? (config.PUBLIC_URL ? baseUrl : `http://localhost:${port}`)).replace(/(?<!\/)\/+$/, ''),
  MAIL_PLATFORM_FROM: config.MAIL_PLATFORM_FROM ?? `no-reply@${devDomain}`,
})

/** Lets webhooks of the development organisation reach this machine, unless the installation is public. */
export function localWebhooks(): { WEBHOOK_LOCAL_ORG?: string } {
  const name = config.WEBHOOK_LOCAL_ORG ?? (config.PUBLIC_URL === undefined ? 'dev' : undefined)
  return name === undefined ? {} : { WEBHOOK_LOCAL_ORG: name }
}

export async function dashboardFacts(databaseUrl: string, appUrl: string) {
  const joining = await inviteDevOwner(databaseUrl)
  return { app_url: `${appUrl}/app`, ...(joining !== undefined && { app_invitation: appUrl + joining }) }
}

const devOwner = `owner@${devDomain}`

/**
 * Returns a link with which a user becomes the owner of the organisation `dev`, or undefined if the organisation has an
 * owner.
 */
async function inviteDevOwner(databaseUrl: string): Promise<string | undefined> {
  const db = await openPool(databaseUrl, 1)
  try {
    return await db.transaction(async (tx) => {
      const org = await orgs.findByName(tx, 'dev')
      if (!org || (await members.countOwners(tx, org.id)) > 0) return undefined
      const doer = { orgId: org.id, role: 'owner', actor: { kind: 'system', id: null, name: 'npm start' } } as const
      return (await inviteByLink(tx, doer, { email: devOwner, role: 'owner' })).path
    })
  } finally {
    await db.end()
  }
}
