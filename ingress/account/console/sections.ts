import type { ConsoleSection } from '../../http/console/contents.ts'

export const sections = {
  organisations: { title: 'Organisations', path: '/ops/organisations', group: 'Customers' },
  keys: { title: 'API keys', path: '/ops/keys', group: 'Customers' },
  usage: { title: 'Usage', path: '/ops/usage', group: 'Customers' },
  streams: { title: 'Log streams', path: '/ops/log-streams', group: 'Customers' },
  requests: { title: 'Requests', path: '/ops/requests', group: 'Customers' },
} as const satisfies Record<string, ConsoleSection>
