import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Pose } from '#sql/identity/face-checks.ts'
import { createChallenge } from '#tasks/identity/rules/face-check.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { loadPrompt } from './prompt-of.ts'
import { forPeople, used, wrongStep } from './prompts.ts'

export const tooManyAttempts = problem(409, 'too_many_attempts', 'The link has reached its limit of attempts.')

export const create = route({
  ...forPeople,
  method: 'POST',
  path: '/identity/prompts/{token}/challenges',
  summary: 'Create a challenge for a selfie',
  reply: z.object({
    challenge: Id,
    poses: z.array(Pose).describe('Turns of the head in order, one frame each'),
    expires_at: Instant,
  }),
  problems: ['not_found', used, wrongStep, tooManyAttempts],
  async handle({ db, params: { token }, services }) {
    const { prompt, requirement } = await loadPrompt(db, token, services)
    if (requirement.type !== 'face') throw wrongStep('This page has no challenge.')
    const check = await db.transaction((tx) => createChallenge(tx, prompt.id))
    return {
      challenge: check.challenge_id ?? '',
      poses: check.poses ?? [],
      expires_at: check.challenge_expires_at ?? check.expires_at,
    }
  },
})
