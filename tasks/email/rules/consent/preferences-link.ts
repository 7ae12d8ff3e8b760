import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/**
 * What a preference page is for: a message, whose recipient opens it, or a contact. A token for a contact expires, and
 * ends with its API key.
 */
const Subject = z.union([
  z.object({ m: Id }),
  z.object({
    org: Id,
    key: Id,
    contact: Id,
    sandbox: z.boolean(),
    /** True if the page can show and change notification preferences. */
    notify: z.boolean(),
    /** The customer’s own ID of the person. Null to use the person with the contact’s address. */
    user: z.string().nullable(),
    exp: z.number(),
  }),
])

export type PreferencesSubject = z.infer<typeof Subject>

const purpose = 'email preferences'

export const signPreferences = (subject: PreferencesSubject, secret: string): string =>
  signToken(purpose, subject, secret)

/** Returns null if the token is invalid or has expired. */
export const readPreferencesToken = (token: string, secret: string): PreferencesSubject | null =>
  verifyToken(purpose, token, secret, Subject)

export const preferencesUrl = (origin: string, token: string): string => `${origin}/send/v1/preferences/${token}`
