import { describe } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Server } from './upstream/connection.ts'

/** How often a worker says how its upstreams are; sooner than it is taken for gone. */
const reportMs = 15_000

/** Has others know how a worker's upstreams are; returns what ends it. */
export async function reportUpstreams(
  db: DatabasePool,
  workerId: string,
  servers: readonly Server[],
): Promise<() => Promise<void>> {
  if (servers.length === 0) return async () => {}
  const report = () => upstreams.note(db, workerId, servers.map(stateOf))
  const failed = (error: Error) => log.debug({ err: describe(error) }, 'the state of upstreams is not written')
  await report().catch(failed)
  const reporting = every(reportMs, report, failed).unref()
  return async () => {
    await reporting.stop()
    await upstreams.forget(db, workerId).catch(failed)
  }
}

function stateOf({ settings, health, breaker }: Server, place: number): upstreams.KnownUpstream {
  const { requests, failures, lastOkAt, lastFailedAt, lastStatus } = health
  const isWell = (lastOkAt?.getTime() ?? 0) >= (lastFailedAt?.getTime() ?? 0)
  const known = lastOkAt === null && lastFailedAt === null ? 'unknown' : isWell ? 'up' : 'failing'
  return {
    name: settings.name,
    place,
    models: [...settings.models],
    embedding_models: [...settings.embeddingModels],
    state: breaker.isOpen ? 'resting' : known,
    requests,
    failures,
    last_ok_at: lastOkAt,
    last_failed_at: lastFailedAt,
    last_status: lastStatus,
  }
}
