import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import type * as messages from '#sql/push/messages.ts'
import type { PushResult } from '../engine.ts'
import type { EndedDelivery } from './admit.ts'
import { assignBlame } from './blame.ts'
import { judgeAnswer, type Verdict } from './judge.ts'
import type { PreparedPush } from './prepare.ts'
import { toStorable } from './storable.ts'

export interface DeliveryEnd {
  delivery: ClaimedDelivery
  message: messages.SendableMessage | undefined
  userId?: string | null | undefined
  verdict: Verdict
  token?: string
  answer?: PushResult
}

/**
 * Returns the verdict for each delivery of a batch. `provenBefore` is true if the provider has accepted the credential
 * before. Without `results`, the credential could not be decrypted.
 */
export function judgeBatch(
  { sendable, ended }: { sendable: readonly PreparedPush[]; ended: readonly EndedDelivery[] },
  results: readonly PushResult[] | undefined,
  provenBefore: boolean,
): DeliveryEnd[] {
  const sealed: PushResult = { outcome: 'credential', reason: 'sealed_with_another_secret', latencyMs: 0 }
  const given = sendable.map((_, i) => (results ? toStorable(results[i] ?? unansweredPush) : sealed))
  const answers = assignBlame(given, provenBefore)
  const proven = answers.some(({ outcome }) => outcome === 'sent')
  return [
    ...sendable.map(({ delivery, message, userId, token }, i) => {
      const answer = answers[i] as PushResult
      return { delivery, message, userId, token, answer, verdict: judgeAnswer(answer, delivery, message, proven) }
    }),
    ...ended.map(({ delivery, message, userId, status, reason, delay = 0 }) => ({
      delivery,
      message,
      userId,
      verdict: { status, reason, delay, attempted: false },
    })),
  ]
}

export const unansweredPush: PushResult = { outcome: 'unknown', reason: 'no_answer', latencyMs: 0 }
