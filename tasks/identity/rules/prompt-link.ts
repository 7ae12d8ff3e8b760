import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** How long a prompt's link works, in milliseconds. */
export const promptMs = 30 * 60_000

const purpose = 'identity prompt'

/** The page of a prompt: its token is signed and tells nothing of the subject. */
export const promptUrl = (origin: string, prompt: { id: string; expires_at: Date }, secret: string): string =>
  `${origin}/identity/prompts/${signToken(purpose, { p: prompt.id, exp: Math.floor(prompt.expires_at.getTime() / 1000) }, secret)}`

/** The prompt that a token names; null for what is none, or is over. */
export const readPromptToken = (token: string, secret: string): string | null =>
  verifyToken(purpose, token, secret, z.object({ p: Id, exp: z.number() }))?.p ?? null
