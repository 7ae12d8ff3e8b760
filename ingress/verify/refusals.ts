import { Problem } from '#lib/errors.ts'
import { problem } from '../http/problem-kinds.ts'

export const countryNotAllowed = problem(
  403,
  'country_not_allowed',
  'The country of the phone number is not in `countries` of the settings.',
)

export const guardRefused = problem(
  403,
  'guard_token_refused',
  'The Guard token is missing or cannot be used. `details.reason` is `missing`, `unknown`, `action_mismatch`, `replayed` or `expired`.',
)

export const channelNotConfigured = problem(
  409,
  'channel_not_configured',
  'The organisation cannot send codes on this channel yet.',
)

export const callsLocked = problem(
  403,
  'calls_locked',
  'The key has the lock `calls: false`, so it cannot place calls.',
)

export const domainNotAllowed = problem(403, 'domain_not_allowed', 'The key is restricted to other domains.')

export const limitReached = problem(
  429,
  'verify_limit_reached',
  'A limit of the settings is reached. `details.limit` is `organisation`, `recipient`, `network` or `country`.',
)

export const tooEarly = problem(429, 'resend_too_early', 'The next code can be requested at `resend_after`.')

export const notOpen = problem(409, 'verification_ended', 'The verification has ended. Start another one.')

export const noSendsLeft = problem(409, 'no_codes_left', 'The verification has no codes left. Start another one.')

const words = {
  organisation: 'The organisation has started too many verifications this hour.',
  recipient: 'This recipient has received too many codes this hour.',
  network: 'This network has requested too many codes this hour.',
  country: 'The budget of the country is used up for today.',
}

export function createLimitProblem([first]: readonly { kind: keyof typeof words; seconds: number }[]): Problem {
  const { kind = 'organisation', seconds = 60 } = first ?? {}
  const message = `${words[kind]} \`Retry-After\` gives the seconds to wait.`
  return new Problem(429, limitReached.code, message, { details: { limit: kind }, retryAfter: seconds })
}
