import { LRUCache } from 'lru-cache'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import type * as sources from '#sql/intake/sources.ts'
import type { Services } from '../http/container.ts'
import { backlog } from '../http/services.ts'

/** Plans change rarely. A lookup for each webhook would cost more than its storage. */
const known = new LRUCache<string, plans.Plan>({ max: 10_000, ttl: 30_000 })

interface Place extends Disposable {
  /** True if the organisation has as many waiting jobs as its plan allows. */
  isLate: boolean
}

const noPlace: Place = { isLate: false, [Symbol.dispose]() {} }

/** Reserves a place for the job of a request until the request is stored. */
export async function reservePlace(
  { forward, status, org_id: id }: sources.Source,
  { db, services }: { db: DatabasePool; services: Services },
): Promise<Place> {
  if (forward === null || status !== 'active') return noPlace
  const plan = known.get(id) ?? (await plans.findForOrganisation(db, id))
  known.set(id, plan)
  const place = await services(backlog).admit({ org: { id }, plan }, 'calls')
  return { isLate: place.refusal !== undefined, [Symbol.dispose]: () => place[Symbol.dispose]() }
}
