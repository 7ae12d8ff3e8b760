import { notFound } from '#lib/errors.ts'
import { hashSecret } from '#lib/tokens.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as reconcilers from '#sql/erp/reconcilers.ts'
import { createAllowance } from '../../http/limits/allowances.ts'
import { createQueueLimiter } from '../../http/limits/at-once.ts'
import { getClientNetwork } from '../../http/limits/buckets.ts'

/** Limits of one organisation in one process. */
const requestsOfOrg = createAllowance(600, 'requests of the reconciliation service')
const takePlace = createQueueLimiter({ ofOne: 2, inLine: 20, waitMs: 10_000 })

const unknownOfNetwork = createAllowance(120, 'requests of your network with an unknown URL')

const token = /^[0-9A-Za-z_]{43,60}$/

/** Returns the place of a request in the organisation’s line. Throws 404 for an unknown URL and 429 above the limits. */
export async function enter(db: DatabasePool, given: string, ip: string): Promise<Disposable> {
  const network = getClientNetwork(ip)
  unknownOfNetwork.spend(network, 0)
  const found = token.test(given) ? await reconcilers.use(db, hashSecret(given)) : null
  if (!found) {
    unknownOfNetwork.spend(network, 1)
    throw notFound('reconciliation service')
  }
  requestsOfOrg.spend(found.org_id, 1)
  return await takePlace(found.org_id)
}
