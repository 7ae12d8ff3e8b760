import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'

/** The channel on which installations are named, as a JSON array of ids, whose streams have a new event. */
export const streamChannel = 'push_stream'

/** Ids in one notification, whose payload is less than 8,000 bytes. */
const atOnce = 150

/** Tells the processes that hold streams of new events; what was written is there when they hear of it. */
export async function notifyStreams(tx: Db, installationIds: readonly string[]): Promise<void> {
  for (let i = 0; i < installationIds.length; i += atOnce) {
    const payload = JSON.stringify(installationIds.slice(i, i + atOnce))
    await tx.query(sql.type(z.object({ notified: z.unknown() }))`
      select pg_notify(${streamChannel}, ${payload}) as notified`)
  }
}
