import { hash } from 'node:crypto'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as visitors from '#sql/guard/visitors.ts'
import { service } from '../http/container.ts'
import { getClientNetwork } from '../http/limits/buckets.ts'

/**
 * Counts requests of visitors. The requests of a quarter of a second are written in one statement, so that a busy
 * site’s row is rarely locked.
 */
export interface VisitorCounter {
  add(siteId: string, ip: string): void
  pending(subject: visitors.Subject): number
  flush(): Promise<void>
  close(): Promise<void>
}

const flushMs = 250

/**
 * Maximum number of subjects per statement. Above this number, requests are counted only for the site, for example
 * during a flood from many IP addresses.
 */
const mostPending = 10_000

/** Returns the subnet of an IP address: IPv4 /24 or IPv6 /48. */
const subnetOf = (ip: string): string => {
  const net = getClientNetwork(ip)
  return net.includes(':') ? net.split(':').slice(0, 3).join(':') : net.split('.').slice(0, 3).join('.')
}

/** Returns the hash under which an IP address is stored. The hash differs by site. A hash is enough for counting. */
const subject = (siteId: string, kind: visitors.SubjectKind, net: string): visitors.Subject => ({
  siteId,
  kind,
  subject: kind === 'site' ? '' : hash('sha256', `${siteId}\0${kind}\0${net}`, 'base64url').slice(0, 22),
})

export const getSubjects = (siteId: string, ip: string): visitors.Subject[] => [
  subject(siteId, 'address', getClientNetwork(ip)),
  subject(siteId, 'subnet', subnetOf(ip)),
  subject(siteId, 'site', ''),
]

const keyOf = ({ siteId, kind, subject }: visitors.Subject) => `${siteId} ${kind} ${subject}`

function createVisitorNotes(db: DatabasePool): VisitorCounter {
  let pending = new Map<string, visitors.CountIncrement>()
  let writing = new Map<string, visitors.CountIncrement>()
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    writing = pending
    pending = new Map()
    await visitors
      .addCounts(db, [...writing.values()])
      .catch((err) => log.warn({ err }, 'could not count challenge requests'))
    writing = new Map()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    working = working.then(write)
    return working
  }

  return {
    add(siteId, ip) {
      for (const one of getSubjects(siteId, ip)) {
        const key = keyOf(one)
        const note = pending.get(key)
        if (note) note.requests++
        else if (pending.size < mostPending || one.kind === 'site')
          pending.set(key, { ...one, requests: 1, failures: 0 })
      }
      timer ??= setTimeout(() => void flush(), flushMs)
    },
    pending(one) {
      const key = keyOf(one)
      return (pending.get(key)?.requests ?? 0) + (writing.get(key)?.requests ?? 0)
    },
    flush,
    close: flush,
  }
}

export const visitorCounter = service<VisitorCounter>({
  name: 'guard visitor notes',
  open: ({ db }) => createVisitorNotes(db),
  close: (notes) => notes.close(),
})
