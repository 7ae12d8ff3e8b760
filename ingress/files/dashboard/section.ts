import type { DashboardSection } from '../../http/dashboard/contents.ts'

export const section = {
  title: 'Files',
  path: '/app/files',
  group: 'Files',
  guide: 'files',
} as const satisfies DashboardSection

export const bucketsPath = `${section.path}/buckets`
