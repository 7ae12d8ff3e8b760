import type { Db } from '#sql/db.ts'
import * as credentials from '#sql/push/credentials.ts'
import type { PushResult } from '../engine.ts'
import type { DeliveryEnd } from './judge-batch.ts'
import type { BatchFacts } from './record-results.ts'

/**
 * Records the effect of a batch on its credential: how long its breaker is open if the credential was rejected or its
 * provider is unavailable.
 */
export async function recordCredential(
  tx: Db,
  about: BatchFacts,
  done: readonly DeliveryEnd[],
): Promise<Date | undefined> {
  const refused = done.find(({ verdict }) => verdict.refusal !== undefined)
  const answers = done.flatMap(({ answer }) => answer ?? [])
  // A dry run by FCM does not prove that the devices belong to the app.
  const isProof = done.some(({ answer, message }) => answer?.outcome === 'sent' && !message?.dry_run)
  if (isProof && about.credential?.proven_at === null) await credentials.markProven(tx, about.credential.id)
  return await judgeCredential(tx, about, refused?.verdict.refusal ?? outage(answers, about))
}

/** Minimum number of responses, all failed, after which the provider is considered unavailable. */
const leastFaults = 20

/**
 * Returns why a provider counts as unavailable: it accepted no push of a batch and returned 5xx or no response. Not for
 * Web Push, because each browser vendor has its own service.
 */
function outage(answers: readonly PushResult[], { credential }: BatchFacts): string | undefined {
  if (credential?.provider === 'webpush' || answers.length < leastFaults) return undefined
  const isFault = ({ outcome, status = 500, reason }: PushResult) =>
    (outcome === 'retry' || outcome === 'unknown') && status >= 500 && reason !== 'not_sent'
  return answers.every(isFault) ? (answers[0]?.reason ?? 'no_answer') : undefined
}

/**
 * Opens the breaker of a rejected credential or an unavailable provider, and closes the breaker after a success.
 * Returns until when the breaker is open.
 */
async function judgeCredential(
  tx: Db,
  { credential, probing }: BatchFacts,
  refusal: string | undefined,
): Promise<Date | undefined> {
  if (!credential) return undefined
  if (refusal !== undefined) return (await credentials.openBreaker(tx, credential.id, refusal, probing)) ?? undefined
  if (probing) await credentials.closeBreaker(tx, credential.id)
  return undefined
}
