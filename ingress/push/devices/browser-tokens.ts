import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const [ofUser, ofInstallation] = ['push user', 'push browser']

const UserPayload = z.object({ app_id: Id, push_user_id: Id, key_id: Id, exp: z.number() })

const InstallationPayload = z.object({ app_id: Id, installation_id: Id })

/** Creates a token that links the browser of a web page to a user. It becomes invalid with the API key `key_id`. */
export function createUserToken(payload: z.infer<typeof UserPayload>, secret: string): string {
  return signToken(ofUser, payload, secret)
}

/**
 * Returns the user, API key and expiry in a web page’s token. Returns `null` if the token has expired or is invalid.
 */
export const readUserToken = (token: string, secret: string): z.infer<typeof UserPayload> | null =>
  verifyToken(ofUser, token, secret, UserPayload)

/**
 * Creates the token with which a browser proves that it owns an installation. The token is valid as long as the
 * installation exists.
 */
export function createInstallationToken(payload: z.infer<typeof InstallationPayload>, secret: string): string {
  return signToken(ofInstallation, payload, secret)
}

/** Returns the installation in a browser’s token. Returns `null` if the token is invalid. */
export const readInstallationToken = (token: string, secret: string): z.infer<typeof InstallationPayload> | null =>
  verifyToken(ofInstallation, token, secret, InstallationPayload)
