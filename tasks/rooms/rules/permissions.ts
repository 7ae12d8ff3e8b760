import type { z } from 'zod'
import type { Role } from '#sql/rooms/participants.ts'
import type { ChatRule } from '#sql/rooms/rooms.ts'

export interface Permissions {
  publish: boolean
  moderate: boolean
  chat: boolean
}

export const getPermissions = (role: z.infer<typeof Role>, chat: z.infer<typeof ChatRule>): Permissions => ({
  publish: role !== 'viewer',
  moderate: role === 'host',
  chat: chat === 'all' || (chat === 'publishers' && role !== 'viewer'),
})
