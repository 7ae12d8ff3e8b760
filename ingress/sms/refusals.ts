import { Problem } from '#lib/errors.ts'
import { problem } from '../http/problem-kinds.ts'

const notConfigured = problem(
  503,
  'not_configured',
  'No SMS provider is connected. Connect one with `POST /v1/sms/providers`.',
)

export const refusals = [
  notConfigured,
  problem(400, 'no_sender', 'The connection has no sender, and the request has no `from`.'),
  problem(400, 'recipient_opted_out', 'The recipient opted out of your messages.'),
  problem(400, 'country_not_allowed', 'The country is not in `countries` of your SMS settings.'),
  problem(400, 'premium_not_allowed', 'The number has a higher price, and `allow_premium` is false.'),
  problem(400, 'text_too_long', 'The text has more than 10 segments.'),
] as const

export function findRefusal(code: string, message: string): Problem {
  const kind = refusals.find((one) => one.code === code)
  return kind ? kind(message) : new Problem(400, code, message)
}
