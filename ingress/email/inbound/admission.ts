import { isIPv4 } from 'node:net'
import { getNetwork } from '#lib/network/network.ts'
import { RefusalError } from './refusal.ts'

/** Limits of one network (a /24 of IPv4, a /64 of IPv6). */
export interface Limits {
  connections: number
  /** Maximum number of recipients per minute, accepted or rejected. */
  perMinute: number
  /** Maximum number of concurrent connections from all networks. */
  all: number
  /** Idle time in milliseconds after which a connection can be closed for a new one. */
  replaceableMs: number
}

/**
 * The limits are high because a provider reports thousands of a campaign's bounces from few IP addresses, some at the
 * same time.
 */
export const defaultLimits: Limits = { connections: 20, perMinute: 1_200, all: 100, replaceableMs: 5_000 }

/** Idle time in milliseconds after which a connection is closed. */
export const longestIdleMs = 60_000

/** Time in milliseconds after which a busy connection can also be closed for a network with fewer connections. */
export const longestBusyMs = 60_000

export interface AdmittedConnection {
  /**
   * Reports that the client sent a part of a message. Commands are not progress, because a client can repeat them
   * endlessly.
   */
  progress(): void
  /**
   * Prevents the connection from being closed while Millrace stores a message. Call `done` when the message is stored.
   */
  storing(): { done(): void }
  /** Counts a recipient. Throws if the limit of this minute is exceeded. */
  count(): void
  close(): void
}

interface Held {
  network: string
  since: number
  opened: number
  isStoring: boolean
  turnAway(): void
}

/**
 * Limits connections per network. A new connection can replace an idle one: the longest idle one of the same network,
 * or of the network with the most connections. If a network has fewer connections than the largest network, its new
 * connection can also replace the oldest connection of that network. So slow clients cannot exclude others. If no
 * connection can be replaced, the client must try again later.
 */
export function createAdmission(
  { connections, perMinute, all, replaceableMs }: Limits = defaultLimits,
  now: () => number = Date.now,
) {
  const held = new Set<Held>()
  const minutes = new Map<string, { minute: number; done: number }>()

  const of = (network: string) => [...held].filter((one) => one.network === network)
  const minuteNow = () => Math.floor(now() / 60_000)

  function makeRoom(network: string): void {
    const own = of(network)
    if (own.length >= connections) turnAwayOne(own, 'Too many connections from your network, try again later')
    else if (held.size >= all) {
      const most = largest()
      turnAwayOne(most, 'Too many connections, try again later', own.length + 1 < most.length)
    }
  }

  /** Returns the connections of the network that has the most, in order of arrival. */
  function largest(): Held[] {
    const [first = []] = [...Map.groupBy(held, ({ network }) => network).values()].toSorted(
      (a, b) => b.length - a.length,
    )
    return first
  }

  function turnAwayOne(among: Held[], otherwise: string, mayBeBusy = false): void {
    const open = among.filter(({ isStoring }) => !isStoring)
    const [longest] = open.toSorted((a, b) => a.since - b.since)
    const [oldest] = open.toSorted((a, b) => a.opened - b.opened)
    if (longest && now() - longest.since >= replaceableMs) turnAway(longest)
    else if (mayBeBusy && oldest && now() - oldest.opened >= longestBusyMs) turnAway(oldest)
    else throw new RefusalError(421, otherwise)
  }

  function turnAway(one: Held): void {
    held.delete(one)
    one.turnAway()
  }

  return {
    /** Throws if there are too many connections and none can be closed. */
    open(address: string, leave: () => void): AdmittedConnection {
      const network = getNetwork(address, isIPv4(address) ? 24 : 64)
      makeRoom(network)
      const one: Held = { network, since: now(), opened: now(), isStoring: false, turnAway: leave }
      held.add(one)
      return {
        progress() {
          one.since = now()
        },
        storing() {
          one.isStoring = true
          return {
            done() {
              Object.assign(one, { isStoring: false, since: now() })
            },
          }
        },
        count() {
          const minute = minuteNow()
          const before = minutes.get(network)
          const done = before?.minute === minute ? before.done : 0
          if (done >= perMinute) throw new RefusalError(421, 'Too much email from your network, try again later')
          minutes.set(network, { minute, done: done + 1 })
        },
        close() {
          held.delete(one)
        },
      }
    },
    /** Closes connections without progress, and deletes the counts of earlier minutes. */
    sweep(): void {
      for (const one of held) {
        if (one.isStoring || now() - one.since < longestIdleMs) continue
        turnAway(one)
      }
      for (const [network, { minute }] of minutes) if (minute < minuteNow()) minutes.delete(network)
    },
  }
}
