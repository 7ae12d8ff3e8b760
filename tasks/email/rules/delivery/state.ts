import { config, publicUrl } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { WarmUp } from '#sql/email/delivery/ip-pools.ts'
import type { IpPool, PoolKey } from '#sql/email/delivery/pool-keys.ts'
import { sealPurpose } from '#sql/email/domains.ts'
import type { ConnectionHolder, MailEngine, Route } from '../../engine.ts'
import type { MailTools } from '../../pools.ts'
import type { LocalAddress } from '../ip-addresses.ts'
import { Admission } from './admission.ts'
import { Letters } from './letters.ts'
import { OutcomeWriter } from './outcome-writer.ts'
import { Senders } from './senders.ts'

export interface DeliveryTools extends MailTools {
  db: DatabasePool
  signal: AbortSignal
}

/** What all jobs of a worker in a queue share. */
interface SharedState {
  mail: MailEngine
  holder: ConnectionHolder
  letters: Letters
  writer: OutcomeWriter
  admission: Admission
  /** Number of jobs that run at the same time. */
  load: { active: number }
}

export interface DeliveryState extends SharedState {
  pool: PoolKey
  /** Shared pool that `pool` belongs to. */
  shared: IpPool
  /** Addresses of the pool that this worker has. */
  addresses: readonly LocalAddress[]
  /** Warm-up of the addresses. */
  warmUp: WarmUp
}

const states = new WeakMap<ConnectionHolder, SharedState>()

export function getSharedState({ mail, holder, secret, db }: DeliveryTools): SharedState {
  const known = states.get(holder)
  if (known) return known
  const installation = { hostname: config.MAIL_HOSTNAME, origin: publicUrl(), secret }
  const senders = new Senders(createSeal(secret, sealPurpose))
  const state = {
    mail,
    holder,
    letters: new Letters(senders, installation, mail),
    writer: new OutcomeWriter(db),
    admission: new Admission(db),
    load: { active: 0 },
  }
  states.set(holder, state)
  return state
}

export interface Site {
  id: string
  domain: string
  route: Route
  address: LocalAddress
  /** Interval between messages in milliseconds. */
  interval: number
  /** True if one more connection may be opened. */
  mayGrow: boolean
}

export const toMxSite = ({ pool }: Pick<DeliveryState, 'pool'>, { address, route }: Site) => ({
  pool,
  local_address: address.address,
  mx_set: route.mxSet,
})
