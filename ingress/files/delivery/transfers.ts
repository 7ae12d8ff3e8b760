import type { ServerResponse } from 'node:http'
import { Problem, unavailable } from '#lib/errors.ts'
import { createFairSlots } from '#lib/slots.ts'
import { service } from '../../http/container.ts'
import { getClientNetwork } from '../../http/limits/buckets.ts'

/** Maximum number of concurrent deliveries of this process, of one organisation and of one client network. */
const [maxTransfers, maxOfOrg, maxOfNetwork] = [1_000, 400, 64]

/** Time in milliseconds without progress after which a delivery is ended. */
const idleMs = 60_000

export interface Transfers {
  /**
   * Reserves a place for a response until it ends. Throws 429 if the client or the organisation has too many deliveries,
   * and 503 if the process has.
   */
  reserve(res: ServerResponse, orgId: string, ip: string): void
}

export const transfers = service<Transfers>({ name: 'files.transfers', open: createTransfers })

function createTransfers(): Transfers {
  const ofOrgs = createFairSlots({ slots: maxTransfers, slotsOfOne: maxOfOrg })
  const ofNetworks = createFairSlots({ slots: maxTransfers, slotsOfOne: maxOfNetwork })
  return {
    reserve(res, orgId, ip) {
      const own = ofNetworks.tryTake(getClientNetwork(ip))
      const shared = own && ofOrgs.tryTake(orgId)
      if (!shared) {
        const isFull = !own ? !ofNetworks.hasWholeShare(getClientNetwork(ip)) : !ofOrgs.hasWholeShare(orgId)
        own?.[Symbol.dispose]()
        throw refusal(isFull, own ? maxOfOrg : maxOfNetwork)
      }
      res.once('close', () => {
        own[Symbol.dispose]()
        shared[Symbol.dispose]()
      })
      res.setTimeout(idleMs, () => void res.destroy())
    },
  }
}

function refusal(isFull: boolean, max: number): Problem {
  if (isFull) return unavailable('Too many files are being delivered. Retry this request in a moment.', 2)
  const message = 'Too many deliveries are in progress. Retry this request in a moment.'
  return new Problem(429, 'rate_limited', message, { retryAfter: 2, details: { limit: 'at_once', max } })
}
