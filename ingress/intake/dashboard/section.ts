import type { Provider } from '#sql/intake/sources.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'

export const section = {
  title: 'Received webhooks',
  path: '/app/intake',
  group: 'Jobs and events',
  position: 2,
  guide: 'intake',
  permission: 'log:read',
} as const satisfies DashboardSection

/** Source of the calls that the pages show. */
export const sampleSource = { name: 'Orders', provider: 'github', forward: { url: 'https://shop.example/webhooks' } }

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
