import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import type { Db } from '#sql/db.ts'
import * as tokens from '#sql/live/chat-tokens.ts'
import type { Services } from '../../http/container.ts'
import { problem } from '../../http/problem-kinds.ts'
import { signingSecret } from '../../http/services.ts'

const Claims = z.object({ id: Id, exp: z.number() })
const purpose = 'video.live-chat'

export const chatTokenInvalid = problem(403, 'chat_token_invalid', 'The chat token is invalid, expired or revoked.')
export const chatBanned = problem(403, 'chat_banned', 'The person is banned from the chat.')
export const chatForbidden = problem(403, 'chat_forbidden', 'The chat token does not allow this.')
export const chatClosed = problem(409, 'chat_closed', 'The chat is closed.')

export const signChatToken = (claims: z.infer<typeof Claims>, secret: string): string =>
  signToken(purpose, claims, secret)

export const chatUrl = (base: string, token: string): string => `${base}/v1/stream/live/chat/${token}`

export interface Asking {
  db: Db
  services: Services
}

/** Returns the right of a chat token. Throws 403 if the token cannot be used, or if its person is banned. */
export async function demandAccess({ db, services }: Asking, token: string): Promise<tokens.ChatAccess> {
  const claims = verifyToken(purpose, token, services(signingSecret), Claims)
  const access = claims && (await tokens.findUsable(db, claims.id))
  if (!access) throw chatTokenInvalid('The chat token is invalid, expired or revoked. Request a new token.')
  if (access.is_banned) throw chatBanned('You are banned from this chat.')
  return access
}

/** Returns the right of a moderator’s token. */
export async function demandModerator(asking: Asking, token: string): Promise<tokens.ChatAccess> {
  const access = await demandAccess(asking, token)
  if (access.role !== 'moderator') throw chatForbidden('Only moderators can do this.')
  return access
}
