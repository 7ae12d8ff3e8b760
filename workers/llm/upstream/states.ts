import type { KnownUpstream } from '#sql/ai/upstreams.ts'
import type { Server } from './connection.ts'

export const getServerStates = (servers: readonly Server[]): KnownUpstream[] => servers.map(stateOf)

function stateOf({ settings, health, breaker }: Server, place: number): KnownUpstream {
  const { requests, failures, lastOkAt, lastFailedAt, lastStatus } = health
  const isWell = (lastOkAt?.getTime() ?? 0) >= (lastFailedAt?.getTime() ?? 0)
  const known = lastOkAt === null && lastFailedAt === null ? 'unknown' : isWell ? 'up' : 'failing'
  return {
    name: settings.name,
    place,
    models: [...settings.models],
    embedding_models: [...settings.embeddingModels],
    rerank_models: [...settings.rerankModels],
    state: breaker.isOpen ? 'resting' : known,
    requests,
    failures,
    last_ok_at: lastOkAt,
    last_failed_at: lastFailedAt,
    last_status: lastStatus,
  }
}
