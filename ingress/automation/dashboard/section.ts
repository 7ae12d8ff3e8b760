import type { DashboardSection } from '../../http/dashboard/contents.ts'

export const section = {
  title: 'Automation',
  path: '/app/automation',
  group: 'Jobs and events',
  guide: 'automation',
  permission: 'log:read',
} as const satisfies DashboardSection

export const runsPath = `${section.path}/runs`

export const rulePath = (id: string): string => `${section.path}/rules/${id}`

export const runPath = (id: string): string => `${runsPath}/${id}`

export const actionTitles = { workflow: 'Workflow', job: 'HTTP job', template: 'Email template' } as const

/** Words for what a rule does. */
export const actionWords = { workflow: 'starts a workflow', job: 'creates a job', template: 'sends an email' } as const
