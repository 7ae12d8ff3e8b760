import { z } from 'zod'
import { unauthorized } from '#lib/errors.ts'
import { verifyToken } from '#lib/tokens.ts'
import type { Services } from '../http/container.ts'
import { liveKeys } from '../http/live-keys.ts'
import { signingSecret } from '../http/services.ts'
import { UserId } from './fields.ts'

export const purpose = 'notify stream'

const PageToken = z.object({
  org: z.guid(),
  key: z.guid(),
  user: UserId,
  product: z.string().optional(),
  marks: z.boolean().default(false),
  exp: z.number(),
})

export type PageToken = z.infer<typeof PageToken>

/**
 * Returns the content of a page token. Throws 401 if the token has expired, is forged, or belongs to a revoked key or
 * to a different person.
 */
export async function checkPageToken(token: string, services: Services, userId?: string): Promise<PageToken> {
  const said = verifyToken(purpose, token, services(signingSecret), PageToken)
  const isLive = said !== null && (await services(liveKeys).isLive(said.key))
  if (!isLive || (userId !== undefined && said.user !== userId))
    throw unauthorized('The stream token is invalid, has expired, or belongs to another person. Create a new one.')
  return said
}
