import { fileURLToPath } from 'node:url'
import { openPool } from '#sql/db.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { importFile } from '#tasks/trust/rules/import-file.ts'

/** The made-up feed, by which checks can be tried without the internet. */
export const devFeed = 'demo'

const file = fileURLToPath(new URL('dev-trust.txt', import.meta.url))

/** Gives a fresh installation a small feed of hosts that belong to nobody; one that is there stays as it is. */
export async function seedTrust(databaseUrl: string): Promise<void> {
  const db = await openPool(databaseUrl, 2)
  try {
    if (await feeds.findByName(db, devFeed)) return
    const facts = { every_seconds: 3600, stale_after_seconds: 365 * 86_400 }
    const feed = await feeds.put(db, { name: devFeed, kind: 'list', url: null, category: 'malware', ...facts })
    await importFile(db, feed, file)
  } finally {
    await db.end()
  }
}
