import type * as sessions from '#sql/account/people/browser-sessions.ts'
import type { Role } from '#sql/account/people/members.ts'

/** Member who is signed in in a browser. */
export interface Member {
  sessionId: string
  userId: string
  name: string
  email: string
  orgId: string
  orgName: string
  role: Role
  closing: boolean
  moving: boolean
  method: sessions.Method
  csrf: string
  steppedUpAt: Date | null
  told: string | null
  idleUntil: Date
  expiresAt: Date
}
