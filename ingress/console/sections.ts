import type { ConsoleSection } from '../http/console/contents.ts'

export const sections = {
  overview: { title: 'Overview', path: '/ops', group: 'Queue' },
  jobs: { title: 'Jobs', path: '/ops/jobs', group: 'Queue' },
  failures: { title: 'Failures', path: '/ops/failures', group: 'Queue' },
  workers: { title: 'Workers', path: '/ops/workers', group: 'Queue' },
  actions: { title: 'Actions', path: '/ops/actions', group: 'Queue' },
} as const satisfies Record<string, ConsoleSection>
