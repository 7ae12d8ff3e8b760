import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** Time to live of a prompt URL in milliseconds. */
export const promptMs = 30 * 60_000

const purpose = 'identity prompt'

/** Returns the URL of a prompt. Its signed token does not contain the subject. */
export const promptUrl = (origin: string, prompt: { id: string; expires_at: Date }, secret: string): string =>
  `${origin}/identity/prompts/${signToken(purpose, { p: prompt.id, exp: Math.floor(prompt.expires_at.getTime() / 1000) }, secret)}`

/** Returns the prompt of a token. `null` if the token is invalid or has expired. */
export const readPromptToken = (token: string, secret: string): string | null =>
  verifyToken(purpose, token, secret, z.object({ p: Id, exp: z.number() }))?.p ?? null
