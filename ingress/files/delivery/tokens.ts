import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import type { Deliverable } from '#sql/files/deliveries.ts'
import { problem } from '../../http/problem-kinds.ts'

const purpose = 'files.url'

export const tokenInvalid = problem(403, 'token_invalid', 'The token of the file URL is missing or invalid.')
export const tokenExpired = problem(403, 'token_expired', 'The signed URL has expired.')
export const tokenRevoked = problem(403, 'token_revoked', 'The signed URL was revoked.')

/** Claims of a signed URL: object, generation, disposition, and expiry in seconds since 1970. */
const Claims = z.object({
  oid: Id,
  gen: z.int(),
  as: z.enum(['inline', 'attachment']).optional(),
  exp: z.number(),
})

type Claims = z.infer<typeof Claims>

export const signUrlToken = (claims: Claims, secret: string): string => signToken(purpose, claims, secret)

/** Returns the claims of a token. Throws 403 if the token does not grant access to the object. */
export function checkToken(token: string | null, object: Deliverable, secret: string): Claims {
  const claims = readClaims(token, object, secret)
  if (!claims)
    throw tokenInvalid('This file needs a signed URL. Request one with `POST /v1/files/objects/{id}/signed-urls`.')
  if (claims.exp * 1000 <= Date.now()) throw tokenExpired('The signed URL has expired. Request another one.')
  if (claims.gen !== object.url_generation) throw tokenRevoked('The signed URL was revoked. Request another one.')
  return claims
}

/** Returns the claims of an authentic token for the object, even if it has expired or was revoked. */
export function readClaims(token: string | null, object: Deliverable, secret: string): Claims | null {
  const claims = token === null ? null : verifyToken(purpose, token, secret, Claims, 0)
  return claims?.oid === object.object_id ? claims : null
}
