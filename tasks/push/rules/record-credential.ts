import type { Db } from '#sql/db.ts'
import * as credentials from '#sql/push/credentials.ts'
import type { PushResult } from '../engine.ts'
import type { DeliveryEnd } from './judge-batch.ts'
import type { BatchFacts } from './record-results.ts'

/** Records what a batch says of its credential: until when its breaker is open if it was refused or its provider is away. */
export async function recordCredential(
  tx: Db,
  about: BatchFacts,
  done: readonly DeliveryEnd[],
): Promise<Date | undefined> {
  const refused = done.find(({ verdict }) => verdict.refusal !== undefined)
  const answers = done.flatMap(({ answer }) => answer ?? [])
  // What FCM merely checks says nothing of whose device it is.
  const isProof = done.some(({ answer, message }) => answer?.outcome === 'sent' && !message?.dry_run)
  if (isProof && about.credential?.proven_at === null) await credentials.prove(tx, about.credential.id)
  return await judgeCredential(tx, about, refused?.verdict.refusal ?? outage(answers, about))
}

/** Answers of which all must be faults before the provider is held to be away. */
const leastFaults = 20

/**
 * Why a provider is held to be away: it took nothing of a batch and answered with 5xx, or not at all. Web push knows no such
 * thing: each browser's maker has a service of its own.
 */
function outage(answers: readonly PushResult[], { credential }: BatchFacts): string | undefined {
  if (credential?.provider === 'webpush' || answers.length < leastFaults) return undefined
  const isFault = ({ outcome, status = 500, reason }: PushResult) =>
    (outcome === 'retry' || outcome === 'unknown') && status >= 500 && reason !== 'not_sent'
  return answers.every(isFault) ? (answers[0]?.reason ?? 'no_answer') : undefined
}

/** Opens the breaker of a credential that was refused, or whose provider is away, and closes it when one is good again; returns until when it is open. */
async function judgeCredential(
  tx: Db,
  { credential, probing }: BatchFacts,
  refusal: string | undefined,
): Promise<Date | undefined> {
  if (!credential) return undefined
  if (refusal !== undefined) return (await credentials.trip(tx, credential.id, refusal, probing)) ?? undefined
  if (probing) await credentials.close(tx, credential.id)
  return undefined
}
