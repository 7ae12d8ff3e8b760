import { describe, Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { mostMs } from '#sql/bounded.ts'
import { type DatabasePool, isDataFault } from '#sql/db.ts'
import { sessionUrl } from '#sql/session-url.ts'
import { createPositions, standingTo } from '#sql/wal.ts'
import { createLines } from '../limits/at-once.ts'
import { attempt, openReplica } from './connections.ts'
import { lasting, type Reason, ReplicaFault, reasonOf } from './faults.ts'
import * as metrics from './metrics.ts'

/** Where the replica is, and what is taken of it. */
export interface ReplicaOptions {
  url: string
  /** Connections of this process. */
  connections: number
  /** Milliseconds that a read waits for the replica to have replayed all that the primary had committed before it. */
  lagMs: number
}

/** Does reads on a standby of the database. */
export interface Replica {
  /**
   * Does a read of an organisation in its turn, on a standby that shows all that the primary had committed when the read came, or
   * else by `onPrimary`. `search` says that a statement that takes more than a second is an answer, and not the replica's fault.
   */
  read<T>(orgId: string, given: Read<T>): Promise<T>
  end(): Promise<void>
}

interface Read<T> {
  search: boolean
  work: (db: DatabasePool) => Promise<T>
  onPrimary: () => Promise<T>
}

/** How often a replica that is set aside is looked at. */
const lookEveryMs = 500

/** An organisation's reads that wait for those before them, and for how many milliseconds. */
const [inLine, waitMs] = [100, 3_000]

/** Opens a replica of a primary; until it is seen to be well, and whenever it is not, reads are the primary's. */
export function createReplica(primary: DatabasePool, { url, connections, lagMs }: ReplicaOptions): Replica {
  const lineOf = createLines({ ofOne: Math.max(1, Math.floor(connections / 2)), inLine, waitMs })
  const positions = createPositions(sessionUrl(primary))
  /** That was opened last; it is given reads while nothing speaks against it. */
  let pool: DatabasePool | undefined
  let against: Reason | undefined = 'away'
  let isTold = false
  let timer: NodeJS.Timeout | undefined
  let ended = false
  let looking = look()

  /** Opens the replica anew and, if it is well, gives it reads. */
  async function look(): Promise<void> {
    try {
      const opened = await openReplica(url, connections, mostMs)
      letGo(pool)
      pool = opened
      const position = await positions.now().catch((cause) => {
        throw new ReplicaFault('unknown', { cause })
      })
      await attempt(pool, position, lagMs).db.connect(async () => {})
      against = undefined
      if (isTold) log.info('the replica does reads again')
      isTold = false
    } catch (error) {
      setAside(reasonOf(error), error)
    }
  }

  /** Gives reads to the primary until the replica is well again. */
  function setAside(reason: Reason, error: unknown): void {
    if (!isTold) log.warn({ reason, err: describe(error) }, 'the replica is set aside: the primary does its reads')
    isTold = true
    against = reason
    if (ended || timer) return
    timer = setTimeout(() => {
      timer = undefined
      looking = look()
    }, lookEveryMs).unref()
  }

  /** What the replica makes of a read; a fault where it cannot do it. */
  async function tried<T>({ search, work }: Read<T>): Promise<T | ReplicaFault> {
    const from = pool
    if (!from || against) return new ReplicaFault(against ?? 'away')
    const position = await positions.now().catch(() => undefined)
    if (!position) return new ReplicaFault('unknown')
    const { db, fault } = attempt(from, position, lagMs)
    const outcome = await work(db).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error, reason: reasonOf(error) }),
    )
    const found = fault()
    if (found && lasting.has(found.reason) && pool === from) setAside(found.reason, found)
    const why = found ?? faultIn(outcome, search)
    if (why) return why
    metrics.reads.inc({ by: 'replica' })
    if ('error' in outcome) throw outcome.error
    return outcome.answer
  }

  const unwatch = metrics.watch({
    isUp: () => against === undefined,
    standing: async () => pool && (await standingTo(pool, await positions.now())),
  })

  return {
    async read(orgId, given) {
      const answer = await inTurn(orgId, () => tried(given))
      if (!(answer instanceof ReplicaFault)) return answer
      metrics.reads.inc({ by: 'primary' })
      metrics.fallbacks.inc({ reason: answer.reason })
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

/** The fault that is in how a read ended, unless that is its answer: a refusal, or that a search finds too much to look through. */
function faultIn(outcome: { answer: unknown } | { error: unknown; reason: Reason }, search: boolean) {
  if (!('error' in outcome)) return undefined
  const { error, reason } = outcome
  if (error instanceof Problem || isDataFault(error) || (search && reason === 'slow')) return undefined
  if (reason === 'failed') log.warn({ err: error }, 'the replica failed a read')
  return new ReplicaFault(reason)
}
