import type { DashboardSection } from '../../http/dashboard/contents.ts'

export const section = {
  title: 'Automation',
  path: '/app/automation',
  group: 'Jobs and events',
  position: 3,
  guide: 'automation',
  permission: 'log:read',
} as const satisfies DashboardSection

export const runsPath = `${section.path}/runs`

export const rulePath = (id: string): string => `${section.path}/rules/${id}`

export const runPath = (id: string): string => `${runsPath}/${id}`

export const actionTitles = { workflow: 'Workflow', job: 'HTTP job', template: 'Email template' } as const

/** Modes of the events that start a rule. */
export const modeTitles = { live: 'Live only', test: 'Test only', both: 'Live and test' } as const

/** Names of the actions of rules. */
export const actionWords = { workflow: 'starts a workflow', job: 'creates a job', template: 'sends an email' } as const
