import { config } from '#lib/config.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { type Html, html } from '../../http/html/html.ts'

export const section = {
  title: 'SMS',
  path: '/app/sms',
  group: 'Notifications',
  guide: 'sms',
  permission: 'log:read',
} as const satisfies DashboardSection

export const providersPath = `${section.path}/providers`
export const optOutsPath = `${section.path}/opt-outs`
export const settingsPath = `${section.path}/settings`

/** Links to the sandbox’s test phone. Undefined if there is no sandbox. */
export const phoneLink = (): Html | undefined =>
  config.SMS_TEST_PHONE === undefined
    ? undefined
    : html`<a class="button" href="${config.SMS_TEST_PHONE}" target="_blank" rel="noopener">Open the test phone</a>`

export const kindTitles = { twilio: 'Twilio', vonage: 'Vonage', http: 'HTTP API' } as const
