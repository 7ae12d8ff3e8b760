import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import type { Services } from '../../http/container.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { type Html, html } from '../../http/html/html.ts'
import { settings } from '../settings.ts'

export const section = {
  title: 'WhatsApp',
  path: '/app/whatsapp',
  group: 'Notifications',
  guide: 'whatsapp',
  permission: 'log:read',
} as const satisfies DashboardSection

export const templatesPath = `${section.path}/templates`
export const numberPath = `${section.path}/number`

/** Returns the business account whose templates an organisation can send, and its own number. */
export async function findAccount(db: Db, services: Services, orgId: string) {
  const own = (await numbers.findByOrgs(db, [orgId])).get(orgId)
  return { own, accountId: own?.account_id ?? services(settings).accountId }
}

/** Links to the sandbox’s test phone. Undefined if messages go to WhatsApp. */
export function phoneLink(services: Services, waId?: string): Html | undefined {
  const { testPhone } = services(settings)
  if (testPhone === undefined) return undefined
  return html`<a class="button" href="${testPhone}/${waId !== undefined && `#${waId}`}" target="_blank" rel="noopener">Open the test phone</a>`
}
