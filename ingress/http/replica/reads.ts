import { unavailable } from '#lib/errors.ts'
import { createSlots } from '#lib/slots.ts'
import { isTooBroad, TooBroad } from '#sql/bounded.ts'
import type { DatabasePool } from '#sql/db.ts'
import { createLines } from '../limits/at-once.ts'
import { type Searches, searchTooBroad } from '../limits/searches.ts'
import type { Route } from '../route.ts'
import { createReplica, type ReplicaOptions } from './replica.ts'

/** Does what routes read, on the connections that are for it. */
export interface Reads {
  /** Has `work` done with the database that a request of an organisation to the route is for. */
  run<T>(route: Route, orgId: string | undefined, db: DatabasePool, work: Work<T>): Promise<T>
  end(): Promise<void>
}

type Work<T> = (db: DatabasePool) => Promise<T>

/** Milliseconds that a read which the replica cannot do waits for its turn at the primary, and how many wait. */
const [waitMs, inLine] = [650, 100]

/**
 * Without a replica, searches go to the connections of searches and all else to the pool. With one, its reads that come back have at
 * most half of the pool, and those of an organisation half of that: a replica that falls away must not take the primary's
 * connections from writes.
 */
export function createReads(main: DatabasePool, searches: Searches, options: ReplicaOptions | undefined): Reads {
  const replica = options && createReplica(main, options)
  const most = Math.max(1, Math.floor((main.configuration.maxPoolSize ?? 2) / 2))
  const slots = createSlots(most, inLine)
  const lineOf = createLines({ ofOne: Math.max(1, Math.floor(most / 2)), inLine, waitMs })

  async function inSlot<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    using _turn = await lineOf(orgId)
    using _slot = await slots.take(AbortSignal.timeout(waitMs)).catch(() => {
      throw unavailable('The service is briefly unavailable; the same request may be sent again.', 1)
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
        throw search && isTooBroad(error) ? searchTooBroad(new TooBroad().message) : error
      })
    },
    async end() {
      await replica?.end()
    },
  }
}
