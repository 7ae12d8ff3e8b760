import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { queryString } from '../../http/html/html.ts'

export const section = {
  title: 'Company registry',
  path: '/app/registry',
  group: 'Trust',
  guide: 'erp',
} as const satisfies DashboardSection

export const watchesPath = `${section.path}/watches`

export const companyPath = ({ code, jurisdiction }: { code: string; jurisdiction: string }): string =>
  `${section.path}/${encodeURIComponent(code)}${queryString({ jurisdiction })}`
