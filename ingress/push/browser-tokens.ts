import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const [ofUser, ofInstallation] = ['push user', 'push browser']

const UserPayload = z.object({ app_id: Id, push_user_id: Id, key_id: Id, exp: z.number() })

const InstallationPayload = z.object({ app_id: Id, installation_id: Id })

/** Makes a token that says whose browser a page runs in; it ends with the API key `key_id`, too. */
export function userToken(payload: z.infer<typeof UserPayload>, secret: string): string {
  return signToken(ofUser, payload, secret)
}

/** Whom a page's token names, by which key, and until when; null for one that is over or not ours. */
export const readUserToken = (token: string, secret: string): z.infer<typeof UserPayload> | null =>
  verifyToken(ofUser, token, secret, UserPayload)

/** Makes the token by which a browser shows that an installation is its own, as long as that is there. */
export function installationToken(payload: z.infer<typeof InstallationPayload>, secret: string): string {
  return signToken(ofInstallation, payload, secret)
}

/** Which installation a browser says is its own; null for a token that is not ours. */
export const readInstallationToken = (token: string, secret: string): z.infer<typeof InstallationPayload> | null =>
  verifyToken(ofInstallation, token, secret, InstallationPayload)
