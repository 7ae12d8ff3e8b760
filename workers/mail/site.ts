import type { IpPool } from '#sql/email/deliveries.ts'
import type { LocalAddress } from '#tasks/email/rules/ip-addresses.ts'
import type { Admission } from './admission.ts'
import type { ConnectionGauge } from './gauges.ts'
import type { Letters } from './letter/letters.ts'
import type { OutcomeWriter } from './outcomes/writer.ts'
import type { Route } from './routes/route.ts'
import type { Router } from './routes/router.ts'
import type { Sessions } from './smtp/sessions.ts'

/** What all turns of a pool share in one process. */
export interface Shared {
  pool: IpPool
  router: Pick<Router, 'route'>
  sessions: Sessions
  letters: Letters
  /** Ids of the connections that it takes and has. */
  connections: Set<string>
  gauge: ConnectionGauge
  writer: OutcomeWriter
  admission: Admission
  /** Its worker's id in `jobs.workers`. */
  workerId: string
  /** Turns at once. */
  active: number
  concurrency: number
}

/** What a turn serves, and how. */
export interface Site {
  /** The connection's id. */
  id: string
  domain: string
  route: Route
  address: LocalAddress
  /** Milliseconds between two messages. */
  interval: number
  /** Whether one more connection may be open. */
  mayGrow: boolean
}

/** An MX set as one address of ours sees it. */
export const siteOf = ({ pool }: Pick<Shared, 'pool'>, { address, route }: Site) => ({
  pool,
  local_address: address.address,
  mx_set: route.mxSet,
})
