import type { Section } from '../http/console/contents.ts'

/** The sections of the queue itself, which stand before those of the areas; what operators did stands last. */
export const sections = {
  overview: { title: 'Overview', path: '/ops', stands: 'first' },
  jobs: { title: 'Jobs', path: '/ops/jobs', stands: 'first' },
  failures: { title: 'Failures', path: '/ops/failures', stands: 'first' },
  workers: { title: 'Workers', path: '/ops/workers', stands: 'first' },
  actions: { title: 'Actions', path: '/ops/actions', stands: 'last' },
} as const satisfies Record<string, Section>
