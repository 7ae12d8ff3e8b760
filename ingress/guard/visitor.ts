import { createHmac } from 'node:crypto'
import type { Services } from '../http/container.ts'
import { getClientNetwork } from '../http/limits/buckets.ts'
import { signingSecret } from '../http/services.ts'

/** Keyed hash of the client’s IP address, and the origin of its web page. Both are stored with a challenge. */
export interface ClientBinding {
  network: string
  origin: string | null
}

interface ClientRequest {
  ip: string
  header(name: string): string | undefined
  services: Services
}

/**
 * Returns the network and origin of a request. The network of an IPv6 client is its /64, because its address changes
 * within it.
 */
export function getClientBinding({ ip, header, services }: ClientRequest): ClientBinding {
  const hashed = createHmac('sha256', services(signingSecret))
    .update(`guard.network\0${getClientNetwork(ip)}`)
    .digest('base64url')
  return { network: hashed, origin: header('origin') ?? null }
}
