import { z } from 'zod'

/** Set of shared IP addresses: one set for transactional and security messages, one for marketing. */
export const IpPool = z.enum(['transactional', 'campaign'])

export type IpPool = z.infer<typeof IpPool>

/**
 * Pool of a delivery: a shared pool, or `transactional:acme` for the deliveries of that shared pool that use the
 * dedicated pool `acme`. Connections, limits and backlogs of different keys are separate.
 */
export const PoolKey = z.string()

export type PoolKey = z.infer<typeof PoolKey>

export const toPoolKey = (shared: IpPool, dedicated: string | null | undefined): PoolKey =>
  dedicated ? `${shared}:${dedicated}` : shared

/** Returns the shared pool that a key belongs to. */
export const getSharedPool = (key: PoolKey): IpPool => IpPool.parse(key.split(':', 1)[0])

/** Returns the name of the dedicated pool. Null for a shared pool. */
export const getDedicatedPool = (key: PoolKey): string | null => key.split(':', 2)[1] ?? null
