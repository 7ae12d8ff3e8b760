import { Cancelled, OwnershipLostError } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { PoolContext } from './pool-context.ts'

export function abortAll(contexts: PoolContext[], reason: Error): void {
  for (const context of contexts) for (const attempt of context.running) attempt.abort(reason)
}

export function abortOverdue(contexts: PoolContext[]): void {
  const now = performance.now()
  for (const context of contexts) {
    for (const attempt of context.running) if (now > attempt.deadline) attempt.abort(new Error('timed out'))
  }
}

/** Aborts tracked attempts that were cancelled or taken over by another worker. */
export async function interrupt(db: DatabasePool, contexts: PoolContext[]): Promise<void> {
  const tracked = contexts.flatMap((context) =>
    [...context.running].filter((attempt) => attempt.owned && !attempt.reason),
  )
  if (tracked.length === 0) return
  const owned = tracked.map((attempt) => ({ id: attempt.runId as string, token: attempt.token as string }))
  const interrupted = new Map((await runs.listInterrupted(db, owned)).map((run) => [run.id, run.lost]))
  for (const attempt of tracked) {
    const lost = interrupted.get(attempt.runId as string)
    if (lost === undefined || !stillRuns(contexts, attempt)) continue
    attempt.abort(lost ? new OwnershipLostError('another attempt runs this job') : new Cancelled('cancelled'))
  }
}

const stillRuns = (contexts: PoolContext[], attempt: PoolContext['running'] extends Set<infer A> ? A : never) =>
  contexts.some((context) => context.running.has(attempt))
