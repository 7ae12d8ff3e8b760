import { Problem, unavailable } from '#lib/errors.ts'
import { createFairSlots } from '#lib/slots.ts'
import { watchedGauge } from '#lib/telemetry/metrics.ts'
import { service } from '../../http/container.ts'
import { getClientNetwork } from '../../http/limits/buckets.ts'
import { getClientSignal } from '../../http/request/client-gone.ts'
import { deliveryCounter } from './delivered.ts'
import { getSentBytes } from './meter.ts'
import { createWatch, type Transfer } from './watch.ts'

/** Maximum number of concurrent deliveries of this process, of one organisation and of one client network. */
const [maxTransfers, maxOfOrg, maxOfNetwork] = [1_000, 400, 64]

/** Time in milliseconds without progress after which a delivery is ended. Node waits for it twice if data is queued. */
const idleMs = 60_000

const inProgress = watchedGauge('millrace_files_deliveries', 'Files that are being delivered', [])

export interface Transfers {
  /**
   * Reserves a place for a response until it ends, and counts its bytes. If the right to the file ends, the connection is
   * closed. Throws if the client has disconnected, because its place would never be free again. Throws 429 if the client or the organisation has too many deliveries, and 503 if the process has.
   */
  start(given: Omit<Transfer, 'since'>, ip: string): void
  /** Number of responses in progress. */
  count(): number
  close(): Promise<void>
}

export const transfers = service<Transfers>({
  name: 'files.transfers',
  open: ({ db, services }) => {
    const counter = services(deliveryCounter)
    const { place, taken } = createPlaces()
    const watch = createWatch(db)
    const stop = inProgress.watch(() => [{ labels: {}, value: taken() }])
    return {
      start(given, ip) {
        const { res, object } = given
        getClientSignal(res).throwIfAborted()
        const leave = place(object.org_id, ip)
        const transfer = { ...given, since: Date.now() }
        watch.add(transfer)
        res.setTimeout(idleMs, () => void res.destroy())
        res.once('close', () => {
          leave()
          watch.remove(transfer)
          counter.count({ object_id: object.object_id, org_id: object.org_id, bytes: getSentBytes(res) })
        })
      },
      count: taken,
      async close() {
        stop()
        watch.close()
      },
    }
  },
  close: (opened) => opened.close(),
})

/** Creates the function that takes a place and returns how to leave it. */
function createPlaces() {
  const ofOrgs = createFairSlots({ slots: maxTransfers, slotsOfOne: maxOfOrg })
  const ofNetworks = createFairSlots({ slots: maxTransfers, slotsOfOne: maxOfNetwork })
  let count = 0
  return {
    taken: () => count,
    place(orgId: string, ip: string): () => void {
      const network = getClientNetwork(ip)
      const own = ofNetworks.tryTake(network)
      if (!own) throw refusal(ofNetworks.hasWholeShare(network) ? maxOfNetwork : null)
      const shared = ofOrgs.tryTake(orgId)
      if (!shared) {
        own[Symbol.dispose]()
        throw refusal(ofOrgs.hasWholeShare(orgId) ? maxOfOrg : null)
      }
      count++
      return () => {
        count--
        own[Symbol.dispose]()
        shared[Symbol.dispose]()
      }
    },
  }
}

function refusal(max: number | null): Problem {
  if (max === null) return unavailable('Too many files are being delivered. Retry this request in a moment.')
  const message = 'Too many deliveries are in progress. Retry this request in a moment.'
  return new Problem(429, 'rate_limited', message, { retryAfter: 2, details: { limit: 'at_once', max } })
}
