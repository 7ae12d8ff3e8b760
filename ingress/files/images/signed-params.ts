import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import { Transformation } from '#tasks/files/rules/images/recipe.ts'

const purpose = 'files.image'

/** Claims of signed parameters: the object, and the transformation without defaults. */
const Claims = z.object({ oid: Id, t: Transformation })

/** Signs parameters for one object. They never expire. If the object is not public, its URL also needs a token. */
export const signParams = (objectId: string, transformation: Transformation, secret: string): string =>
  signToken(purpose, { oid: objectId, t: transformation }, secret)

/** Returns the transformation, or `null` if the signature is not of this object. */
export function readSignedParams(token: string, objectId: string, secret: string): Transformation | null {
  const claims = verifyToken(purpose, token, secret, Claims)
  return claims?.oid === objectId ? claims.t : null
}
