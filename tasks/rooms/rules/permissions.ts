import type { z } from 'zod'
import type { Role } from '#sql/rooms/participants.ts'

/** What someone may do. */
export interface Permissions {
  publish: boolean
  moderate: boolean
}

export const permissionsOf = (role: z.infer<typeof Role>): Permissions => ({
  publish: role !== 'viewer',
  moderate: role === 'host',
})
