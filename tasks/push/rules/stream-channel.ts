import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'

/** Postgres channel for streams with a new event. The payload is a JSON array of installation IDs. */
export const streamChannel = 'push_stream'

/** Number of IDs per notification. The payload must be less than 8,000 bytes. */
const atOnce = 150

/**
 * Notifies the processes that hold these streams about new events. The events are visible when the notification
 * arrives.
 */
export async function notifyStreams(tx: Db, installationIds: readonly string[]): Promise<void> {
  for (let i = 0; i < installationIds.length; i += atOnce) {
    const payload = JSON.stringify(installationIds.slice(i, i + atOnce))
    await tx.query(sql.type(z.object({ notified: z.unknown() }))`
      select pg_notify(${streamChannel}, ${payload}) as notified`)
  }
}
