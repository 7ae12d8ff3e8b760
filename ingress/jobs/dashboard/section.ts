import type { DashboardSection } from '../../http/dashboard/contents.ts'

const shared = { group: 'Jobs and events', guide: 'jobs', permission: 'log:read' } as const

export const section = { ...shared, title: 'Jobs', path: '/app/jobs' } as const satisfies DashboardSection

export const schedulesSection = {
  ...shared,
  title: 'Schedules',
  path: `${section.path}/schedules`,
} as const satisfies DashboardSection

export const flowsSection = {
  ...shared,
  title: 'Flows',
  path: `${section.path}/flows`,
} as const satisfies DashboardSection

export const limitsSection = {
  ...shared,
  title: 'Concurrency and rates',
  path: `${section.path}/limits`,
} as const satisfies DashboardSection

export const failedPath = `${section.path}/failed`
export const settingsPath = `${section.path}/settings`

export const jobPath = (id: string): string => `${section.path}/${id}`
