import { config, publicUrl } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { IpPool } from '#sql/email/delivery/deliveries.ts'
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

export interface DeliveryState {
  pool: IpPool
  mail: MailEngine
  holder: ConnectionHolder
  letters: Letters
  writer: OutcomeWriter
  admission: Admission
  /** Number of jobs that run at the same time. */
  active: number
}

const states = new WeakMap<ConnectionHolder, DeliveryState>()

export function getDeliveryState(pool: IpPool, { mail, holder, secret, db }: DeliveryTools): DeliveryState {
  const known = states.get(holder)
  if (known) return known
  const installation = { hostname: config.MAIL_HOSTNAME, origin: publicUrl(), secret }
  const senders = new Senders(createSeal(secret, sealPurpose))
  const state = {
    pool,
    mail,
    holder,
    letters: new Letters(senders, installation, mail),
    writer: new OutcomeWriter(db),
    admission: new Admission(db),
    active: 0,
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
