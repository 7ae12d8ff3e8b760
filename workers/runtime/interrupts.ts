import { Cancelled, OwnershipLostError } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { PoolContext } from './pool-context.ts'

export function abortAll(contexts: PoolContext[], reason: Error): void {
  for (const context of contexts) for (const run of context.running) run.abort(reason)
}

export function abortOverdue(contexts: PoolContext[]): void {
  const now = performance.now()
  for (const context of contexts) {
    for (const run of context.running) if (now > run.deadline) run.abort(new Error('timed out'))
  }
}

/** Aborts tracked attempts that were cancelled or taken over by another worker. */
export async function interrupt(db: DatabasePool, contexts: PoolContext[]): Promise<void> {
  const tracked = contexts.flatMap(({ running }) => [...running].filter((run) => run.owned && !run.reason))
  if (tracked.length === 0) return
  const owned = tracked.map(({ runId, token }) => ({ id: runId as string, token: token as string }))
  const interrupted = new Map((await runs.listInterrupted(db, owned)).map(({ id, lost }) => [id, lost]))
  for (const run of tracked) {
    const lost = interrupted.get(run.runId as string)
    if (lost === undefined || !run.context.running.has(run)) continue
    run.abort(lost ? new OwnershipLostError('another attempt runs this job') : new Cancelled('cancelled'))
  }
}
