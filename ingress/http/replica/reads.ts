import { unavailable } from '#lib/errors.ts'
import { createSlots } from '#lib/slots.ts'
import { isTooBroad, TooBroadError } from '#sql/bounded.ts'
import type { DatabasePool } from '#sql/db.ts'
import { createQueueLimiter } from '../limits/at-once.ts'
import { type Searches, searchTooBroad } from '../limits/searches.ts'
import type { Route } from '../route.ts'
import { createReplica, type ReplicaOptions } from './replica.ts'

export interface Reads {
  run<T>(route: Route, orgId: string | undefined, db: DatabasePool, work: Work<T>): Promise<T>
  end(): Promise<void>
}

type Work<T> = (db: DatabasePool) => Promise<T>

/** Timeout in milliseconds for reads that fall back to the primary, and the maximum number of waiting reads. */
const [waitMs, inLine] = [650, 100]

/**
 * Without a replica, searches use the search connections and all other reads use the pool. With a replica, reads that
 * fall back can use up to half of the pool, and one organisation up to half of that. So a failed replica does not take
 * connections from writes.
 */
export function createReads(main: DatabasePool, searches: Searches, options: ReplicaOptions | undefined): Reads {
  const replica = options && createReplica(main, options)
  const most = Math.max(1, Math.floor((main.configuration.maxPoolSize ?? 2) / 2))
  const slots = createSlots(most, inLine)
  const lineOf = createQueueLimiter({ ofOne: Math.max(1, Math.floor(most / 2)), inLine, waitMs })

  async function inSlot<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    using _turn = await lineOf(orgId)
    using _slot = await slots.take(AbortSignal.timeout(waitMs)).catch(() => {
      throw unavailable('The service is temporarily unavailable. Retry the same request.', 1)
    })
    return await work()
  }

  return {
    async run({ search = false, reads }, orgId, db, work) {
      if (orgId === undefined) return await work(db)
      const onPrimary = search ? () => searches.run(orgId, work) : () => work(db)
      if (!reads || !replica) return await onPrimary()
      const given = { search, work, onPrimary: search ? onPrimary : () => inSlot(orgId, onPrimary) }
      return await replica.read(orgId, given).catch((error) => {
        throw search && isTooBroad(error) ? searchTooBroad(new TooBroadError().message) : error
      })
    },
    async end() {
      await replica?.end()
    },
  }
}
