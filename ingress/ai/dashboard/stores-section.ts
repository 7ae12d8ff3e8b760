import { z } from 'zod'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { pathId } from '../../http/request/validate.ts'

export const section = {
  title: 'Vector stores',
  path: '/app/stores',
  group: 'Bots and knowledge',
  guide: 'ai',
  permission: 'log:read',
} as const satisfies DashboardSection

export const ofStore = z.object({ store_id: pathId('vector store') })

export const pathOf = (storeId: string): string => `${section.path}/${storeId}`

export const nameOf = ({ name }: { name: string }): string => name || 'Unnamed store'
