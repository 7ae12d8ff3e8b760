import { config } from '#lib/config.ts'
import { Later } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import { type IpPool, toPoolKey } from '#sql/email/delivery/pool-keys.ts'
import { localAddresses } from '../ip-addresses.ts'
import type { DeliveryState } from './state.ts'

/** Mean delay in milliseconds until a job of another worker's addresses is offered again. */
const elsewhereMs = 500

export type PoolState = Pick<DeliveryState, 'pool' | 'shared' | 'addresses' | 'warmUp'>

/** Records the dedicated addresses of this worker, so that it gets their jobs. */
export async function registerAddresses(db: DatabasePool, workerId: string): Promise<void> {
  const addresses = config.MAIL_DEDICATED_ADDRESSES
  if (addresses.length > 0) await db.transaction((tx) => ipPools.registerWorker(tx, workerId, addresses))
}

/**
 * Returns the pool of a job with the addresses that this worker has. Undefined if no worker has an address of the pool:
 * its messages wait until one starts (`email/rewake`). Throws `Later` if another worker has one.
 */
export async function findPool(
  db: DatabasePool,
  shared: IpPool,
  dedicated: string | undefined,
  own: readonly string[] = config.MAIL_DEDICATED_ADDRESSES,
): Promise<PoolState | undefined> {
  if (dedicated === undefined)
    return { pool: shared, shared, addresses: localAddresses(shared), warmUp: config.MAIL_WARMUP }
  const found = await ipPools.find(db, dedicated)
  if (!found) return undefined
  const addresses = found.addresses.filter(({ address }) => own.includes(address))
  if (addresses.length > 0)
    return { pool: toPoolKey(shared, dedicated), shared, addresses, warmUp: found.warm_up ?? config.MAIL_WARMUP }
  if (await ipPools.hasWorker(db, dedicated))
    throw new Later(elsewhereMs * (0.5 + Math.random()), 'another worker has the addresses of the IP pool')
  return undefined
}
