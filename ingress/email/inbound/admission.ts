import { isIPv4 } from 'node:net'
import { networkOf } from '#lib/network.ts'
import { Refusal } from './refusal.ts'

/** How much one network (a /24 of IPv4, a /64 of IPv6) may do. */
export interface Limits {
  /** Connections at the same time. */
  connections: number
  /** Recipients per minute, whether accepted or refused. */
  perMinute: number
  /** Connections of all networks at the same time. */
  all: number
  /** Milliseconds without progress after which a connection may be closed for a new one. */
  replaceableMs: number
}

/** A provider reports thousands of bounces of a campaign from few addresses, some at once. */
export const usual: Limits = { connections: 20, perMinute: 1_200, all: 100, replaceableMs: 5_000 }

/** Milliseconds without progress after which a connection is closed. */
export const longestIdleMs = 60_000

/** Milliseconds after which a busy connection may be closed, too, for one of a network that has fewer. */
export const longestBusyMs = 60_000

/** A connection as the admission knows it. */
export interface AdmittedConnection {
  /** The client sent a part of a message. Commands are no progress: a client may repeat them without end. */
  progress(): void
  /** Millrace stores a whole message until `done` is called. The connection is not closed meanwhile. */
  storing(): { done(): void }
  /** Counts a recipient. Throws the refusal if it is one too many in this minute. */
  count(): void
  /** Forgets the connection. */
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
 * Counts what networks do. A new connection is accepted as long as an idle one can be closed for it: the one that has been idle
 * longest, of the same network, or of the network that has most. Of that network, the oldest one is closed for a network that has fewer,
 * so that slow clients of a few networks keep nobody out. Otherwise the client is asked to come later, so that nothing is lost.
 */
export function createAdmission(
  { connections, perMinute, all, replaceableMs }: Limits = usual,
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

  /** Of the network that has most; their order is the order in which they came. */
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
    else throw new Refusal(421, otherwise)
  }

  function turnAway(one: Held): void {
    held.delete(one)
    one.turnAway()
  }

  return {
    /** Admits a connection. Throws the refusal if there are too many and none is idle. */
    open(address: string, leave: () => void): AdmittedConnection {
      const network = networkOf(address, isIPv4(address) ? 24 : 64)
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
          if (done >= perMinute) throw new Refusal(421, 'Too much mail from your network, try again later')
          minutes.set(network, { minute, done: done + 1 })
        },
        close() {
          held.delete(one)
        },
      }
    },
    /** Closes connections that make no progress, and forgets what networks did in earlier minutes. */
    sweep(): void {
      for (const one of held) {
        if (one.isStoring || now() - one.since < longestIdleMs) continue
        turnAway(one)
      }
      for (const [network, { minute }] of minutes) if (minute < minuteNow()) minutes.delete(network)
    },
  }
}
