import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const Payload = z.object({ m: Id })

/** The page that unsubscribes the recipient of a message (RFC 8058): GET shows, POST acts. */
export const unsubscribeUrl = (origin: string, messageId: string, secret: string): string =>
  `${origin}/send/v1/unsubscribe/${signToken('email unsubscribe', { m: messageId }, secret)}`

/** The message that the token of such a page names; null for what is none. */
export const readUnsubscribeToken = (token: string, secret: string): string | null =>
  verifyToken('email unsubscribe', token, secret, Payload)?.m ?? null

/** The page on which the recipient of a repermission message confirms: GET shows, POST acts. */
export const confirmUrl = (origin: string, messageId: string, secret: string): string =>
  `${origin}/send/v1/confirm/${signToken('email confirm', { m: messageId }, secret)}`

/** The message that the token of such a page names; null for what is none. */
export const readConfirmToken = (token: string, secret: string): string | null =>
  verifyToken('email confirm', token, secret, Payload)?.m ?? null
