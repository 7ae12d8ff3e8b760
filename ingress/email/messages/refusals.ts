import { Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as usage from '#sql/email/usage.ts'
import { findReachedBudget } from '#tasks/account/rules/budget-reached.ts'
import type { Refusal } from '#tasks/email/rules/consent/stream-rules.ts'
import { type ProblemKind, problem } from '../../http/problem-kinds.ts'

const kinds: Record<Refusal['why'], ProblemKind> = {
  domain_not_verified: problem(403, 'domain_not_verified', 'The domain in `from` is not one of your verified domains.'),
  domain_not_allowed: problem(403, 'domain_not_allowed', 'The key is restricted to other domains.'),
  contact_not_confirmed: problem(
    403,
    'contact_not_confirmed',
    'The stream requires a contact. `subscribed` requires a confirmed contact.',
  ),
  contact_unsubscribed: problem(403, 'contact_unsubscribed', 'The recipient has unsubscribed.'),
  contact_asked: problem(
    403,
    'contact_asked',
    'The contact already received a confirmation request within the last 30 days.',
  ),
  topic_unsubscribed: problem(403, 'topic_unsubscribed', 'The recipient is not subscribed to the topic.'),
  marketing_paused: problem(403, 'marketing_paused', 'The reputation gate has paused marketing.'),
}

export const createRefusal = ({ why, message, details }: Refusal): Problem => kinds[why](message, details)

export const refusals: readonly ProblemKind[] = Object.values(kinds)

export const domainRefusals = [kinds.domain_not_verified, kinds.domain_not_allowed]

export const { marketing_paused: marketingPaused } = kinds

export const monthlyLimitKind = problem(
  429,
  'monthly_limit_reached',
  'The plan or the organisation’s budget has no messages left this month.',
)

function monthlyLimitReached(cap: number, used: number, end: Date): Problem {
  const message = `The plan's ${cap} messages for this month are used up. They reset at the end of the month (UTC).`
  const about = { metric: 'email.messages', limit: cap, used, resets_at: end.toISOString() }
  const details = { monthly_messages: cap, ...about }
  return new Problem(monthlyLimitKind.status, monthlyLimitKind.code, message, {
    details,
    retryAfter: Math.max(1, Math.ceil((end.getTime() - Date.now()) / 1000)),
  })
}

/** Returns the problem for a plan or budget that has no messages left. */
export async function createLimitProblem(db: Db, orgId: string): Promise<Problem> {
  const { messages, cap, resets_at } = await usage.find(db, orgId)
  if (messages >= cap) return monthlyLimitReached(cap, messages, resets_at)
  return await findReachedBudget(db, orgId, 'email.messages', monthlyLimitKind.code)
}
