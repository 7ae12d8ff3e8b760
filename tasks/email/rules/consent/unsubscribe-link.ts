import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const Payload = z.object({ m: Id })

/** Returns the URL of a message’s unsubscribe page (RFC 8058): GET shows it, POST unsubscribes. */
export const unsubscribeUrl = (origin: string, messageId: string, secret: string): string =>
  `${origin}/send/v1/unsubscribe/${signToken('email unsubscribe', { m: messageId }, secret)}`

/** Returns the message of the token. Null if the token is invalid. */
export const readUnsubscribeToken = (token: string, secret: string): string | null =>
  verifyToken('email unsubscribe', token, secret, Payload)?.m ?? null

/** Returns the URL of the confirmation page of a `repermission` message: GET shows it, POST confirms. */
export const confirmUrl = (origin: string, messageId: string, secret: string): string =>
  `${origin}/send/v1/confirm/${signToken('email confirm', { m: messageId }, secret)}`

/** Returns the message of the token. Null if the token is invalid. */
export const readConfirmToken = (token: string, secret: string): string | null =>
  verifyToken('email confirm', token, secret, Payload)?.m ?? null
