import type { Pool } from 'pg'
import type { DatabasePool } from 'slonik'
import { type Reading, watchedGauge } from '#lib/telemetry/metrics.ts'

const connections = watchedGauge(
  'millrace_database_connections',
  'Connections of this process: for queries (application) and for queue workers (queue).',
  ['pool', 'state'],
)
const most = watchedGauge('millrace_database_connections_max', 'Maximum number of connections of this process.', [
  'pool',
])
const waiting = watchedGauge('millrace_database_waiting', 'Callers that are waiting for a connection.', ['pool'])

interface Use {
  active: number
  idle: number
  waiting: number
  max: number
}

const open = new Map<object, { pool: 'application' | 'queue'; use: () => Use | undefined }>()

function useOf(pool: 'application' | 'queue'): Use {
  const total = { active: 0, idle: 0, waiting: 0, max: 0 }
  for (const [key, source] of open) {
    const use = source.use()
    if (use === undefined) open.delete(key)
    if (use === undefined || source.pool !== pool) continue
    total.active += use.active
    total.idle += use.idle
    total.waiting += use.waiting
    total.max += use.max
  }
  return total
}

const kinds = ['application', 'queue'] as const

const each = (read: (use: Use) => number) => (): Reading[] =>
  kinds.map((pool) => ({ labels: { pool }, value: read(useOf(pool)) }))

for (const state of ['active', 'idle'] as const) {
  connections.watch(() => kinds.map((pool) => ({ labels: { pool, state }, value: useOf(pool)[state] })))
}
most.watch(each((use) => use.max))
waiting.watch(each((use) => use.waiting))

export function observePool(pool: DatabasePool): void {
  const use = () => {
    const { state, acquiredConnections, idleConnections, waitingClients } = pool.state()
    if (state !== 'ACTIVE') return undefined
    return {
      active: acquiredConnections,
      idle: idleConnections,
      waiting: waitingClients,
      max: pool.configuration.maxPoolSize ?? acquiredConnections + idleConnections,
    }
  }
  open.set(pool, { pool: 'application', use })
}

export function observeQueueConnections(pool: Pool): void {
  const use = () => {
    if (pool.ended) return undefined
    const { totalCount, idleCount, waitingCount } = pool
    return {
      active: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
      max: pool.options.max ?? totalCount,
    }
  }
  open.set(pool, { pool: 'queue', use })
}
