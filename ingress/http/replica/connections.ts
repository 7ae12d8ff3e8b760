import { setTimeout as pause } from 'node:timers/promises'
import { isTooBroad } from '#sql/bounded.ts'
import { type DatabasePool, type Db, openPool } from '#sql/db.ts'
import { follows, type Position, readStanding, warmUp } from '#sql/wal.ts'
import { withConnect } from '../database/acquire-timeout.ts'
import { getFaultReason, type Reason, ReplicaFault } from './faults.ts'

const answerMs = 650

const useMs = 2_500

const askEveryMs = 4

/** Opens a connection pool to the replica. Each statement is limited to `statement` milliseconds and is not retried. */
export const openReplica = async (url: string, size: number, statement: number): Promise<DatabasePool> =>
  await warmUp(await openPool(url, size, 5_000, statement, 0))

export interface Attempt {
  db: DatabasePool
  fault(): ReplicaFault | undefined
}

/**
 * Returns a pool that checks each connection before a read, because several servers can share one address. The server
 * must be a standby of the primary that has replayed the log up to `position`. It has up to `lagMs` milliseconds for
 * this.
 */
export function createAttempt(pool: DatabasePool, position: Position, lagMs: number): Attempt {
  let fault: ReplicaFault | undefined
  const fail = (reason: Reason): ReplicaFault => {
    fault ??= new ReplicaFault(reason)
    return fault
  }

  const connect: DatabasePool['connect'] = async (work) => {
    if (fault) throw fault
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>()
    let timer: NodeJS.Timeout | undefined
    const within = (ms: number, reason: Reason) => {
      clearTimeout(timer)
      timer = setTimeout(() => reject(fail(reason)), ms)
    }
    within(answerMs, 'busy')
    pool
      .connect(async (connection) => {
        if (fault) throw fault
        within(answerMs + lagMs, 'away')
        await catchUp(connection, position, lagMs)
        within(useMs, 'slow')
        return await work(connection)
      })
      .then(resolve as (value: unknown) => void, (error) => {
        const reason = getFaultReason(error)
        reject(reason === 'failed' || isTooBroad(error) ? error : fail(reason))
      })
      .finally(() => clearTimeout(timer))
    return await promise
  }

  return { db: withConnect(pool, connect), fault: () => fault }
}

async function catchUp(connection: Db, position: Position, lagMs: number): Promise<void> {
  const begun = performance.now()
  for (;;) {
    const standing = await readStanding(connection, position)
    if (!follows(standing, position)) throw new ReplicaFault('stranger')
    if (standing.reached) return
    if (performance.now() - begun >= lagMs) throw new ReplicaFault('behind')
    await pause(askEveryMs)
  }
}
