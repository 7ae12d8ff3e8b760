import type { Section } from '../http/console/contents.ts'

/** The sections of the queue itself, which stand before those of the areas; what operators did stands last. */
export const sections = {
  overview: { title: 'Overview', path: '/ops' },
  jobs: { title: 'Jobs', path: '/ops/jobs' },
  failures: { title: 'Failures', path: '/ops/failures' },
  workers: { title: 'Workers', path: '/ops/workers' },
  actions: { title: 'Actions', path: '/ops/actions', last: true },
} as const satisfies Record<string, Section>
