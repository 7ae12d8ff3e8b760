import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import type * as messages from '#sql/push/messages.ts'
import type { PushResult } from '../engine.ts'
import type { EndedDelivery } from './admit.ts'
import { blame } from './blame.ts'
import { judge, type Verdict } from './judge.ts'
import type { PreparedPush } from './prepare.ts'
import { storable } from './storable.ts'

/** An end of a delivery, with what its events tell and, where it was sent, what its provider answered. */
export interface DeliveryEnd {
  delivery: ClaimedDelivery
  message: messages.SendableMessage | undefined
  /** The customer's id of whose it is. */
  userId?: string | null | undefined
  verdict: Verdict
  token?: string
  answer?: PushResult
}

/**
 * What became of each of a batch, sent with a credential that its provider has taken before, or not (`provenBefore`). Without
 * `results` the credential could not be opened.
 */
export function judgeBatch(
  { sendable, ended }: { sendable: readonly PreparedPush[]; ended: readonly EndedDelivery[] },
  results: readonly PushResult[] | undefined,
  provenBefore: boolean,
): DeliveryEnd[] {
  const sealed: PushResult = { outcome: 'credential', reason: 'sealed_with_another_secret', latencyMs: 0 }
  const given = sendable.map((_, i) => (results ? storable(results[i] ?? unanswered) : sealed))
  const answers = blame(given, provenBefore)
  const proven = answers.some(({ outcome }) => outcome === 'sent')
  return [
    ...sendable.map(({ delivery, message, userId, token }, i) => {
      const answer = answers[i] as PushResult
      return { delivery, message, userId, token, answer, verdict: judge(answer, delivery, message, proven) }
    }),
    ...ended.map(({ delivery, message, userId, status, reason, delay = 0 }) => ({
      delivery,
      message,
      userId,
      verdict: { status, reason, delay, attempted: false },
    })),
  ]
}

/** What is held of a push of which nothing came back. */
export const unanswered: PushResult = { outcome: 'unknown', reason: 'no_answer', latencyMs: 0 }
