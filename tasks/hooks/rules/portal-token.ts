import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

export const Capability = z.enum(['read', 'manage'])

/** What a portal token gives access to. It expires, and ends with its API key, its app and its organisation. */
const Subject = z.object({
  org: Id,
  key: Id,
  app: Id,
  /** Version of the app’s tokens. Revoking all tokens of an app increments the version. */
  version: z.int(),
  capability: Capability,
  /** Feature groups whose event types the portal shows, next to types without a group. Null shows all types. */
  groups: z.array(z.string()).nullable(),
  exp: z.number(),
})

export type PortalSubject = z.infer<typeof Subject>

const purpose = 'hooks portal'

export const signPortal = (subject: PortalSubject, secret: string): string => signToken(purpose, subject, secret)

/** Returns null if the token is invalid or has expired. */
export const readPortalToken = (token: string, secret: string): PortalSubject | null =>
  verifyToken(purpose, token, secret, Subject)

export const portalUrl = (origin: string, token: string): string => `${origin}/hooks/portal/${token}`
