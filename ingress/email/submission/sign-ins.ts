import { isIPv4 } from 'node:net'
import { getNetwork } from '#lib/network/network.ts'
import { RefusalError } from '../inbound/refusal.ts'

/** Maximum number of failed sign-ins per minute from one network (a /24 of IPv4, a /64 of IPv6). */
const mostFailed = 10

const minuteMs = 60_000

/** Counts failed sign-ins, so that a network cannot try many keys. */
export function createSignIns(now: () => number = Date.now) {
  const failed = new Map<string, { until: number; count: number }>()
  const networkOf = (ip: string) => getNetwork(ip, isIPv4(ip) ? 24 : 64)

  return {
    /**
     * Counts a sign-in as failed before its result is known, so that concurrent ones cannot exceed the limit. The returned
     * function takes the count back. Throws if too many sign-ins of the network failed in this minute.
     */
    begin(ip: string): () => void {
      const network = networkOf(ip)
      const known = failed.get(network)
      const minute = known && known.until > now() ? known : { until: now() + minuteMs, count: 0 }
      if (minute.count >= mostFailed)
        throw new RefusalError(454, 'Too many failed sign-ins from your network, try again in a minute')
      minute.count++
      failed.set(network, minute)
      return () => {
        minute.count--
      }
    },
    sweep(): void {
      for (const [network, { until }] of failed) if (until <= now()) failed.delete(network)
    },
  }
}
