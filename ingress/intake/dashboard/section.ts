import type { Provider } from '#sql/intake/sources.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'

export const section = {
  title: 'Received webhooks',
  path: '/app/intake',
  group: 'Jobs and events',
  guide: 'intake',
  permission: 'log:read',
} as const satisfies DashboardSection

export const sourcesPath = `${section.path}/sources`

export const sourcePath = (id: string): string => `${sourcesPath}/${id}`

export const requestPath = (id: string): string => `${section.path}/requests/${id}`

export const providerTitles: Readonly<Record<Provider, string>> = {
  stripe: 'Stripe',
  github: 'GitHub',
  shopify: 'Shopify',
  slack: 'Slack',
  standard: 'Standard Webhooks',
  hmac: 'Other (HMAC)',
}
