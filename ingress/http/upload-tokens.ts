import type { Context } from 'koa'
import { z } from 'zod'
import { forbidden, unauthorized } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Origin } from '#lib/network/origin.ts'
import { secret } from '#lib/secret-fields.ts'
import { looksLikeKey, signToken, verifyToken } from '#lib/tokens.ts'
import { Area } from '#sql/account/upload-tokens.ts'
import { Instant } from './instant.ts'
import type { RouteFacts } from './route-facts.ts'

const purpose = 'upload'

const Claims = z.object({
  upload_id: Id.optional(),
  start_id: Id.optional(),
  area: Area.optional(),
  key_id: Id,
  origins: z.array(z.string()),
  exp: z.number(),
})

/**
 * A token that a web page uses instead of a key. With `upload_id`, it allows only the operations of this upload. Without
 * it, it starts uploads in `area`. `start_id` is the ID of the token that starts uploads, or that started this one.
 */
export type UploadToken = z.infer<typeof Claims>

export const Browser = z
  .strictObject({
    origins: z
      .array(Origin)
      .min(1)
      .max(20)
      .transform((given) => [...new Set(given)])
      .describe('Origins of the web pages that can use the token'),
    expires_in: z.int().min(60).max(86_400).default(3_600).describe('Time to live of the token in seconds'),
  })
  .describe(
    'Allows a web page to upload the file without an API key. The response contains an `upload_token`, which the page sends as `Authorization: Bearer`.',
  )

export const issuedFields = {
  upload_token: secret(z.string())
    .optional()
    .describe(
      'Token for the web page, if `browser` was set. It expires with the upload and with the API key that started the upload.',
    ),
  upload_token_expires_at: Instant.optional(),
}

export type UploadGrant = UploadToken

export const createUploadGrant = (uploadId: string, keyId: string, browser: z.output<typeof Browser>): UploadGrant => ({
  upload_id: uploadId,
  key_id: keyId,
  origins: browser.origins,
  exp: Math.floor(Date.now() / 1000) + browser.expires_in,
})

/** Time to live in seconds of the token of an upload that a web page started. It is as long as an upload can take. */
const startedSeconds = 86_400

/**
 * Returns the grant for an upload: of the web page that started it with a token, of the pages that the server named, or
 * none.
 */
export function grantFor(
  uploadId: string,
  { key, uploadToken }: { key: { id: string }; uploadToken: UploadToken | undefined },
  browser: z.output<typeof Browser> | undefined,
): UploadGrant | undefined {
  if (!uploadToken) return browser && createUploadGrant(uploadId, key.id, browser)
  const { origins, start_id } = uploadToken
  return { ...createUploadGrant(uploadId, key.id, { origins, expires_in: startedSeconds }), start_id }
}

export function issueUploadToken(
  grant: UploadGrant | undefined,
  secret: string,
): { upload_token?: string; upload_token_expires_at?: Date } {
  if (!grant) return {}
  return { upload_token: signToken(purpose, grant, secret), upload_token_expires_at: new Date(grant.exp * 1000) }
}

/**
 * Returns the upload token of a request, even if it has expired. Returns undefined if the request has a key or no
 * token. Web pages on the token’s origins can read every response.
 */
export function readUploadToken(ctx: Context, secret: () => string): UploadToken | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1]
  if (bearer === undefined || bearer.length > 20_000 || looksLikeKey(bearer)) return undefined
  // The response for an expired token also names the token’s origin, because the web page must be able to read the
  // error.
  const token = verifyToken(purpose, bearer, secret(), Claims, 0) ?? undefined
  const origin = ctx.get('origin')
  if (token?.origins.includes(origin)) ctx.set('access-control-allow-origin', origin)
  return token
}

/** Throws 401 if the token has expired, and 403 if it is for another upload, area or origin. */
export function checkUploadToken(ctx: Context, token: UploadToken, { uploadToken, startToken }: RouteFacts): void {
  const origin = ctx.get('origin')
  if (origin !== '' && !token.origins.includes(origin)) {
    throw forbidden(`This upload token cannot be used on ${origin}.`)
  }
  if (token.exp * 1000 <= Date.now())
    throw unauthorized('This upload token has expired. Start another upload on your server.')
  if (startToken !== undefined) {
    if (token.upload_id !== undefined) throw forbidden('This upload token is for one upload. It cannot start another.')
    if (token.area !== startToken) throw forbidden('This upload token is for a different area.')
  } else if (ctx.params[uploadToken ?? '']?.toLowerCase() !== token.upload_id) {
    throw forbidden('This upload token is for a different upload.')
  }
}

/** Throws 401 if the upload of a token is completed or aborted. */
export function requireUnfinishedUpload(token: UploadToken | undefined, finished: boolean): void {
  if (token && finished) throw unauthorized('This upload token has expired because its upload has ended.')
}

export const takesUploadTokens = ({ uploadToken, startToken }: RouteFacts): boolean =>
  uploadToken !== undefined || startToken !== undefined
