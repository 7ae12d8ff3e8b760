import type { DashboardSection } from '../../http/dashboard/contents.ts'

export const section = {
  title: 'Imports',
  path: '/app/moving',
  group: 'Organisation',
  guide: 'moving',
  permission: 'log:read',
} as const satisfies DashboardSection
