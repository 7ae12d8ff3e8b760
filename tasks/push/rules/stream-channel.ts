import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'

/** Postgres channel with the IDs of installations, as a JSON array, whose streams have a new event. */
export const streamChannel = 'push_stream'

/** IDs per notification, whose payload is less than 8,000 bytes. */
const atOnce = 150

/** Notifies the processes that hold streams of new events. The events are visible when the notification arrives. */
export async function notifyStreams(tx: Db, installationIds: readonly string[]): Promise<void> {
  for (let i = 0; i < installationIds.length; i += atOnce) {
    const payload = JSON.stringify(installationIds.slice(i, i + atOnce))
    await tx.query(sql.type(z.object({ notified: z.unknown() }))`
      select pg_notify(${streamChannel}, ${payload}) as notified`)
  }
}
