import { fileURLToPath } from 'node:url'
import { openPool } from '#sql/db.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { importFile } from '#tasks/trust/rules/import-file.ts'

export const devFeed = 'demo'

const file = fileURLToPath(new URL('dev-trust.txt', import.meta.url))

/** Adds a small feed of reserved hosts to a new installation. An existing feed is not changed. */
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
