import { describe, Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { maxSearchMs } from '#sql/bounded.ts'
import { type DatabasePool, isDataFault } from '#sql/db.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import { createPositions, readStanding } from '#sql/wal.ts'
import { createQueueLimiter } from '../limits/at-once.ts'
import { createAttempt, openReplica } from './connections.ts'
import { getFaultReason, lastingReasons, type Reason, ReplicaFault } from './faults.ts'
import * as metrics from './metrics.ts'

export interface ReplicaOptions {
  url: string
  connections: number
  lagMs: number
}

export interface Replica {
  /**
   * Runs a read when it is the organisation’s turn. The read runs on a standby that includes all earlier commits of the
   * primary, otherwise with `onPrimary`. With `search`, a statement that takes more than a second is a valid result and
   * not a fault of the replica.
   */
  read<T>(orgId: string, given: Read<T>): Promise<T>
  end(): Promise<void>
}

interface Read<T> {
  search: boolean
  work: (db: DatabasePool) => Promise<T>
  onPrimary: () => Promise<T>
}

const lookEveryMs = 500

const [inLine, waitMs] = [100, 3_000]

export function createReplica(primary: DatabasePool, { url, connections, lagMs }: ReplicaOptions): Replica {
  const lineOf = createQueueLimiter({ ofOne: Math.max(1, Math.floor(connections / 2)), inLine, waitMs })
  const positions = createPositions(getSessionUrl(primary))
  let pool: DatabasePool | undefined
  let against: Reason | undefined = 'away'
  let isTold = false
  let timer: NodeJS.Timeout | undefined
  let ended = false
  let looking = look()

  async function look(): Promise<void> {
    try {
      const opened = await openReplica(url, connections, maxSearchMs)
      letGo(pool)
      pool = opened
      const position = await positions.now().catch((cause) => {
        throw new ReplicaFault('unknown', { cause })
      })
      await createAttempt(pool, position, lagMs).db.connect(async () => {})
      against = undefined
      if (isTold) log.info('using the replica for reads again')
      isTold = false
    } catch (error) {
      setAside(getFaultReason(error), error)
    }
  }

  function setAside(reason: Reason, error: unknown): void {
    if (!isTold) log.warn({ reason, err: describe(error) }, 'not using the replica for reads; the primary serves them')
    isTold = true
    against = reason
    if (ended || timer) return
    timer = setTimeout(() => {
      timer = undefined
      looking = look()
    }, lookEveryMs).unref()
  }

  async function tried<T>({ search, work }: Read<T>): Promise<T | ReplicaFault> {
    const from = pool
    if (!from || against) return new ReplicaFault(against ?? 'away')
    const position = await positions.now().catch(() => undefined)
    if (!position) return new ReplicaFault('unknown')
    const { db, fault } = createAttempt(from, position, lagMs)
    const outcome = await work(db).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error, reason: getFaultReason(error) }),
    )
    const found = fault()
    if (found && lastingReasons.has(found.reason) && pool === from) setAside(found.reason, found)
    const why = found ?? faultIn(outcome, search)
    if (why) return why
    metrics.replicaReads.inc({ by: 'replica' })
    if ('error' in outcome) throw outcome.error
    return outcome.answer
  }

  const unwatch = metrics.watchReplica({
    isUp: () => against === undefined,
    standing: async () => pool && (await readStanding(pool, await positions.now())),
  })

  return {
    async read(orgId, given) {
      const answer = await inTurn(orgId, () => tried(given))
      if (!(answer instanceof ReplicaFault)) return answer
      metrics.replicaReads.inc({ by: 'primary' })
      metrics.replicaFallbacks.inc({ reason: answer.reason })
      return await given.onPrimary()
    },
    async end() {
      ended = true
      clearTimeout(timer)
      unwatch()
      await looking
      await Promise.allSettled([pool?.end(), positions.end()])
    },
  }

  async function inTurn<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    using _turn = await lineOf(orgId)
    return await work()
  }
}

const letGo = (pool: DatabasePool | undefined): void => void pool?.end().catch(() => {})

/**
 * Returns the fault in the outcome of a read. A rejected request and a search with too many matches are valid results.
 */
function faultIn(outcome: { answer: unknown } | { error: unknown; reason: Reason }, search: boolean) {
  if (!('error' in outcome)) return undefined
  const { error, reason } = outcome
  if (error instanceof Problem || isDataFault(error) || (search && reason === 'slow')) return undefined
  if (reason === 'failed') log.warn({ err: error }, 'a read on the replica failed')
  return new ReplicaFault(reason)
}
