import type { Context } from 'koa'
import { z } from 'zod'
import { forbidden, unauthorized } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Origin } from '#lib/origin.ts'
import { secret } from '#lib/secret-fields.ts'
import { looksLikeKey, signToken, verifyToken } from '#lib/tokens.ts'
import { Instant } from './instant.ts'
import type { RouteFacts } from './route-facts.ts'

const purpose = 'upload'

const Claims = z.object({ upload_id: Id, key_id: Id, origins: z.array(z.string()), exp: z.number() })

/** What a page's requests for one upload are made with, in place of a key: it opens the operations of that upload alone. */
export type UploadToken = z.infer<typeof Claims>

/** What a server asks for that lets a page send the bytes of an upload. */
export const Browser = z
  .strictObject({
    origins: z
      .array(Origin)
      .min(1)
      .max(20)
      .transform((given) => [...new Set(given)])
      .describe('Origins of the pages that may use the token'),
    expires_in: z.int().min(60).max(86_400).default(3_600).describe('Seconds until the token ends'),
  })
  .describe(
    'Lets a page send the bytes without a key: the answer has an `upload_token`, which goes as `Authorization: Bearer`',
  )

/** What the answer has for a page. */
export const issuedFields = {
  upload_token: secret(z.string())
    .optional()
    .describe('For the page, when `browser` was asked for; it ends with the upload, and with the key that started it'),
  upload_token_expires_at: Instant.optional(),
}

/** What a token is to say, of which the same one is made each time. */
export type UploadGrant = UploadToken

/** What is to be signed for an upload that this key starts now. */
export const grantFor = (uploadId: string, keyId: string, browser: z.output<typeof Browser>): UploadGrant => ({
  upload_id: uploadId,
  key_id: keyId,
  origins: browser.origins,
  exp: Math.floor(Date.now() / 1000) + browser.expires_in,
})

/** The answer's fields for a page. */
export function issue(
  grant: UploadGrant | undefined,
  secret: string,
): { upload_token?: string; upload_token_expires_at?: Date } {
  if (!grant) return {}
  return { upload_token: signToken(purpose, grant, secret), upload_token_expires_at: new Date(grant.exp * 1000) }
}

/**
 * The upload token that a request carries, over or not; undefined for what carries a key or nothing of ours. Pages of its
 * origins may read whatever the answer is.
 */
export function readUploadToken(ctx: Context, secret: () => string): UploadToken | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1]
  if (bearer === undefined || bearer.length > 20_000 || looksLikeKey(bearer)) return undefined
  // Of one that is over the page is told so, which it could not read from an answer that does not name its origin.
  const token = verifyToken(purpose, bearer, secret(), Claims, 0) ?? undefined
  const origin = ctx.get('origin')
  if (token?.origins.includes(origin)) ctx.set('access-control-allow-origin', origin)
  return token
}

/** Throws unless the token opens what is asked for: 401 when it is over, 403 for another upload or a foreign page. */
export function checkUploadToken(ctx: Context, token: UploadToken, parameter: string): void {
  const origin = ctx.get('origin')
  if (origin !== '' && !token.origins.includes(origin)) {
    throw forbidden(`This upload token may not be used on ${origin}.`)
  }
  if (token.exp * 1000 <= Date.now())
    throw unauthorized('This upload token is over: have your server start another upload.')
  if (ctx.params[parameter]?.toLowerCase() !== token.upload_id)
    throw forbidden('This upload token is for another upload.')
}

/** Throws 401 when a request is made with the token of an upload that has been completed or given up. */
export function demandUnfinished(token: UploadToken | undefined, finished: boolean): void {
  if (token && finished) throw unauthorized('This upload token is over, as its upload is.')
}

/** Whether pages with an upload token may call a route. */
export const takesUploadTokens = ({ uploadToken }: RouteFacts): boolean => uploadToken !== undefined
