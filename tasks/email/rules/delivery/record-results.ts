import { describe } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { writeInHalves } from '#lib/splitting.ts'
import { type Db, isRowFault } from '#sql/db.ts'
import type { Reply } from '#sql/email/delivery/attempts.ts'
import type { ClaimedMessage } from '#sql/email/delivery/claims.ts'
import { record } from '#sql/email/delivery/outcomes.ts'
import type { IpPool } from '#sql/email/delivery/pool-keys.ts'
import { insertAttempts, type NewAttempt, type Settlement, settle, strike } from '#sql/email/delivery/settle.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import type { Peer } from '../../engine.ts'
import { reportComplaints } from '../../simulate-complaint.ts'
import { recordOutcomes } from '../record-outcomes.ts'
import { bounceClasses } from '../replies/classes.ts'
import { countOutcome } from './gauges.ts'
import type { Verdict } from './verdict.ts'

export interface AttemptResult {
  message: ClaimedMessage
  /** Connection that leased the message. Null if the message is locked in the caller’s transaction. */
  connection: string | null
  verdict: Verdict
  /** True if no attempt was made because the message had already ended. */
  untried?: boolean
  pool: IpPool
  localAddress: string | null
  /** Address of the next attempt. Null for any address. */
  next: string | null
  peer?: Peer | undefined
  tls?: NewAttempt['tls']
  replies: readonly Reply[]
  startedAt: Date
}

/** Writes results. Skips results whose lease was lost. */
export async function writeResults(tx: Db, results: readonly AttemptResult[]): Promise<void> {
  const settled = await settle(tx, results.map(settledOf))
  const written = results.filter(({ message }) => settled.has(message.id))
  await insertAttempts(tx, written.filter(({ untried }) => !untried).map(attemptOf))
  await countStrikes(tx, written)
  await recordOutcomes(
    tx,
    written.map(({ verdict }) => verdict.outcome),
  )
  await reportComplaints(
    tx,
    written.filter(({ verdict }) => verdict.attempt === 'delivered').map(({ message }) => message),
  )
  for (const { pool, verdict } of written) countOutcome(pool, verdict.attempt, verdict.outcome.replyClass)
}

/** Writes each result separately. A result that the database rejects is written without its strings. */
export async function writeEach(tx: Db, results: readonly AttemptResult[]): Promise<void> {
  await writeInHalves(results, {
    write: (part) => tx.transaction((savepoint) => writeResults(savepoint, part)),
    isOnes: isRowFault,
    async failed([only, ...more], error) {
      if (!only || more.length > 0 || !isRowFault(error)) throw error
      log.error(
        { err: describe(error), message_id: only.message.id },
        'stored a delivery outcome in its own transaction',
      )
      await tx.transaction((savepoint) => writeStatusOnly(savepoint, withoutTexts(only)))
    },
  })
}

/** Writes only the status and the next attempt, without events. */
export async function writeStatusOnly(tx: Db, result: AttemptResult): Promise<void> {
  const settled = await settle(tx, [settledOf(result)])
  if (settled.has(result.message.id)) await record(tx, [result.verdict.outcome], bounceClasses)
}

/** Removes the server’s text from a result. An accepted message stays delivered. */
export function withoutTexts(result: AttemptResult): AttemptResult {
  const { outcome } = result.verdict
  const reason =
    outcome.reason === undefined ? {} : { reason: 'The response of the receiving server could not be stored.' }
  const verdict = { ...result.verdict, outcome: { ...outcome, ...reason } }
  return { ...result, verdict, peer: undefined, tls: null, replies: [] }
}

/** Counts rejections and suppresses addresses that have reached the maximum number. */
async function countStrikes(tx: Db, results: readonly AttemptResult[]): Promise<void> {
  const counted = results.filter(
    ({ verdict, message }) => verdict.strikes && !message.sandbox && !isSimulated(message.to_email),
  )
  for (const within of new Set(counted.map(({ verdict }) => verdict.strikes?.withinMs ?? 0))) {
    const same = counted.filter(({ verdict }) => verdict.strikes?.withinMs === within)
    const rows = await strike(tx, same.map(strikeOf), within)
    const counts = new Map(rows.map(({ strikes, ...of }) => [JSON.stringify(of), strikes]))
    for (const result of same) {
      const { verdict } = result
      const count = counts.get(JSON.stringify(strikeOf(result))) ?? 0
      if (count >= (verdict.strikes?.strikes ?? Number.POSITIVE_INFINITY)) verdict.outcome.suppress = 'bounce'
    }
  }
}

const settledOf = ({ message, connection, verdict, next, untried }: AttemptResult): Settlement => ({
  message_id: message.id,
  leased_by: connection,
  attempts: message.attempts + (untried ? 0 : 1),
  retry_ms: verdict.retryMs,
  local_address: next,
})

const strikeOf = ({ message, verdict }: AttemptResult) => ({
  org_id: message.org_id,
  email: message.to_email,
  reply_class: verdict.outcome.replyClass ?? '',
})

const attemptOf = (result: AttemptResult): NewAttempt => ({
  id: newId(),
  org_id: result.message.org_id,
  message_id: result.message.id,
  number: result.message.attempts + 1,
  outcome: result.verdict.attempt,
  reply_class: result.verdict.outcome.replyClass ?? null,
  mx_host: result.peer?.host ?? null,
  mx_address: result.peer?.address ?? null,
  pool: result.pool,
  local_address: result.localAddress || null,
  tls: result.tls ?? null,
  replies: [...result.replies],
  started_at: result.startedAt.toISOString(),
  ended_at: new Date().toISOString(),
})
