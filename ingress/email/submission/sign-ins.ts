import { isIPv4 } from 'node:net'
import { getNetwork } from '#lib/network/network.ts'
import { RefusalError } from '../inbound/refusal.ts'

/** Maximum number of failed sign-ins per minute from one network (a /24 of IPv4, a /64 of IPv6). */
const mostFailed = 10

/** Maximum number of sign-ins of a network that wait for the result of others. */
const mostWaiting = 500

const minuteMs = 60_000

interface Minute {
  until: number
  failed: number
  /** Sign-ins whose result is not known yet. */
  open: number
  waiting: (() => void)[]
}

/** Counts failed sign-ins, so that a network cannot try many keys. */
export function createSignIns(now: () => number = Date.now) {
  const minutes = new Map<string, Minute>()
  const networkOf = (ip: string) => getNetwork(ip, isIPv4(ip) ? 24 : 64)

  function minuteOf(network: string): Minute {
    const known = minutes.get(network)
    if (known && (known.until > now() || known.open > 0 || known.waiting.length > 0)) return renewed(known)
    const minute = { until: now() + minuteMs, failed: 0, open: 0, waiting: [] }
    minutes.set(network, minute)
    return minute
  }

  function renewed(minute: Minute): Minute {
    if (minute.until > now()) return minute
    return Object.assign(minute, { until: now() + minuteMs, failed: 0 })
  }

  return {
    /**
     * Begins a sign-in. If all sign-ins in progress could exceed the limit by failing, waits for their results. The
     * returned function reports the result. Throws if too many sign-ins of the network failed in this minute.
     */
    async begin(ip: string): Promise<(hasFailed: boolean) => void> {
      const network = networkOf(ip)
      let minute = minuteOf(network)
      while (minute.failed < mostFailed && minute.failed + minute.open >= mostFailed) {
        if (minute.waiting.length >= mostWaiting) throw tooMany()
        const { promise, resolve } = Promise.withResolvers<void>()
        minute.waiting.push(resolve)
        await promise
        minute = minuteOf(network)
      }
      if (minute.failed >= mostFailed) throw tooMany()
      const { waiting } = minute
      minute.open++
      return (hasFailed) => {
        minute.open--
        if (hasFailed) minute.failed++
        for (const go of waiting.splice(0)) go()
      }
    },
    sweep(): void {
      for (const [network, { until, open, waiting }] of minutes)
        if (until <= now() && open === 0 && waiting.length === 0) minutes.delete(network)
    },
  }
}

const tooMany = () => new RefusalError(454, 'Too many failed sign-ins from your network, try again in a minute')
