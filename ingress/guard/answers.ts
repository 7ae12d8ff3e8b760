import { z } from 'zod'
import { forbidden, notFound, type Problem } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as challenges from '#sql/guard/challenges.ts'
import { Tier } from '#sql/guard/sites.ts'
import * as tokens from '#sql/guard/tokens.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute } from '../http/route.ts'
import { recordFailures } from './judge.ts'
import * as metrics from './metrics.ts'
import { getClientBinding } from './visitor.ts'
import { Bytes, isSolution } from './work.ts'

const wrongAnswer = problem(
  400,
  'wrong_answer',
  'The answer is wrong. The challenge cannot be used again: request a new one.',
)
const challengeSpent = problem(409, 'challenge_spent', 'The challenge has already been answered. Request a new one.')
const challengeExpired = problem(409, 'challenge_expired', 'The challenge has expired. Request a new one.')

interface AnswerRequest extends Pick<Caller, 'org' | 'key'> {
  params: { id: string }
  body: { answer: string }
  ip: string
  header(name: string): string | undefined
  services: Services
}

/** Returns the reason why an answer is not checked. The challenge can then still be used. */
function refusal(
  call: AnswerRequest,
  challenge: challenges.ChallengeState | undefined,
  attempted: ReadonlySet<string>,
): Problem | undefined {
  if (challenge?.org_id !== call.org.id) return notFound('challenge')
  const site = call.key.locks.site_id
  if (site === undefined) return forbidden('This key does not belong to a site. Use the `site_key` of a site.')
  if (challenge.site_id !== site) return notFound('challenge')
  const { network, origin } = getClientBinding(call)
  // The client is checked before the state of the challenge. Other clients must not be able to use the challenge or
  // learn its state.
  if (challenge.network !== network || challenge.origin !== origin)
    return forbidden('The challenge was issued for a different address or page.')
  if (challenge.spent || attempted.has(challenge.id))
    return challengeSpent('The challenge has already been answered. Request a new one.')
  if (challenge.expired) return challengeExpired('The challenge has expired. Request a new one.')
  return undefined
}

export const complete = groupedRoute({
  method: 'POST',
  path: '/challenges/{id}/complete',
  summary: 'Answer a challenge',
  description: `Submit the answer from the IP address and web page to which the challenge was issued. Each challenge accepts one answer, even a wrong one. The token is valid once, for its action, for ${tokens.tokenSeconds} seconds.`,
  scope: 'guard:challenge',
  locks: ['site_id'],
  site: true,
  bodyLimit: 4_096,
  params: z.object({ id: pathId('challenge') }),
  body: z.strictObject({ answer: secret(Bytes.max(300)).describe('Answer as base64url without padding') }),
  status: 200,
  reply: z
    .object({ token: secret(z.string()), action: z.string(), tier: Tier, expires_at: Instant })
    .meta({ id: 'guard.Earned' }),
  problems: ['forbidden', 'not_found', wrongAnswer, challengeSpent, challengeExpired],
  example: {
    body: { answer: 'N0qJ7f0mYp3vQx1oW2k9c4rS5tUuVvWwXxYyZz01234' },
    reply: {
      token: '4fQmZ0VbJ8yJ2c7Xr5tKp1sNw6uLd9eHg3aTq8oRi0B',
      action: 'signup',
      tier: 'normal',
      expires_at: '2026-01-01T12:05:00.000Z',
    },
  },
  async commit(tx, calls) {
    const found = await challenges.lockMany(
      tx,
      calls.map(({ params }) => params.id),
    )
    const attempted = new Set<string>()
    const judged = calls.map((call) => {
      const challenge = found.get(call.params.id)
      const refused = refusal(call, challenge, attempted)
      if (refused || !challenge) return { call, refused }
      attempted.add(challenge.id)
      return { call, challenge, solved: isSolution(challenge, call.body.answer) }
    })
    const tried = judged.flatMap(({ challenge, solved }) => (challenge ? [{ challenge, solved }] : []))
    await challenges.markManyUsed(
      tx,
      tried.map(({ challenge, solved }) => ({ id: challenge.id, outcome: solved ? 'solved' : 'failed' })),
    )
    const made = await tokens.createMany(
      tx,
      tried.flatMap(({ challenge, solved }) => (solved ? [earnedBy(challenge)] : [])),
    )
    const failures = judged.flatMap(({ call, challenge, solved }) =>
      challenge && !solved ? [{ siteId: challenge.site_id, ip: call.ip }] : [],
    )
    if (failures.length > 0) await recordFailures(tx, failures)
    const next = made.values()
    return judged.map(({ refused, challenge, solved }) => {
      metrics.challengeAnswers.inc({ outcome: refused ? 'refused' : solved ? 'solved' : 'failed' })
      if (refused || !challenge) return refused as Problem
      if (!solved) return wrongAnswer('The answer is wrong. The challenge cannot be used again: request a new one.')
      const { token, expires_at } = next.next().value as tokens.IssuedToken
      return { token, action: challenge.action, tier: challenge.tier, expires_at }
    })
  },
})

function earnedBy(challenge: challenges.ChallengeState): tokens.NewToken {
  const { id: challenge_id, org_id, site_id, action, tier, origin, elapsed_ms: solve_ms } = challenge
  const hostname = origin === null ? null : (URL.parse(origin)?.hostname ?? null)
  return { challenge_id, org_id, site_id, action, tier, hostname, solve_ms }
}
