import { z } from 'zod'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { pathId } from '../../http/request/validate.ts'

export const section = {
  title: 'Bots',
  path: '/app/bots',
  group: 'Bots and knowledge',
  guide: 'bots',
  permission: 'log:read',
} as const satisfies DashboardSection

export const ofBot = z.object({ bot_id: pathId('bot') })

export const pathOf = (botId: string): string => `${section.path}/${botId}`
