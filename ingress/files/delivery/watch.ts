import type { ServerResponse } from 'node:http'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Deliverable, findPermissions, type Permission } from '#sql/files/deliveries.ts'
import { getSentBytes } from './meter.ts'

/** Interval in milliseconds in which the rights of all deliveries in progress are read, in one statement. */
const everyMs = 2_000

/** Time in milliseconds after which a delivery must have an average rate, and this rate in bytes per second. */
const [slowMs, minRate] = [60_000, 4_096]

export interface Transfer {
  res: ServerResponse
  object: Deliverable
  /** True if the request has a valid token. */
  isSigned: boolean
  since: number
}

interface Watch {
  add(transfer: Transfer): void
  remove(transfer: Transfer): void
  close(): void
}

/** Ends deliveries in progress whose right has ended, and deliveries that are too slow. */
export function createWatch(db: DatabasePool): Watch {
  const running = new Set<Transfer>()
  let timer: NodeJS.Timeout | undefined

  async function check(): Promise<void> {
    const now = Date.now()
    const old = [...running].filter(({ since }) => now - since >= everyMs / 2)
    for (const one of old) if (isTooSlow(one, now)) one.res.destroy()
    if (old.length === 0) return
    const found = await findPermissions(db, [...new Set(old.map(({ object }) => object.version_id))])
    const permissions = new Map(found.map((one) => [one.version_id, one]))
    for (const one of old) if (!isPermitted(one, permissions.get(one.object.version_id))) one.res.destroy()
  }

  function schedule(): void {
    if (running.size === 0) return
    timer ??= setTimeout(() => {
      void check()
        .catch((error) => log.warn({ err: describe(error) }, 'rights of deliveries could not be read'))
        .finally(() => {
          timer = undefined
          schedule()
        })
    }, everyMs).unref()
  }

  return {
    add(transfer) {
      running.add(transfer)
      schedule()
    },
    remove: (transfer) => void running.delete(transfer),
    close() {
      running.clear()
      clearTimeout(timer)
    },
  }
}

function isPermitted({ object, isSigned }: Transfer, permission: Permission | undefined): boolean {
  if (!permission) return false
  return isSigned ? permission.url_generation === object.url_generation : permission.visibility === 'public'
}

function isTooSlow({ res, since }: Transfer, now: number): boolean {
  return now - since > slowMs && getSentBytes(res) < ((now - since) / 1000) * minRate
}
