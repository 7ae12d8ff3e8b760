import { z } from 'zod'
import { config } from '#lib/config.ts'
import { toStorableText } from '#lib/outside-text.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { task } from '../queue/task.ts'
import { fetchFile } from '../sources/rules/fetch.ts'
import { readSource } from '../sources/rules/read-source.ts'
import { mostBytes, readFeed } from './rules/formats.ts'
import type { FeedWithUrl, ImportTools } from './rules/importing.ts'
import { replaceEntries } from './rules/replace-entries.ts'
import { importHashLists } from './rules/safe-browsing/hash-lists.ts'

const timeout = 20 * 60_000

/** Shorter than the timeout of the task, so that a slow server is recorded as the reason. */
const fetchTimeout = timeout - 60_000

/** Fetches a feed and replaces its entries. If this fails, the reason is stored with the feed. */
export const importFeed = task({
  name: 'trust/import',
  pool: 'web',
  payload: z.object({ feedId: z.number().int(), anyway: z.boolean().default(false) }),
  tracked: true,
  attempts: 3,
  timeout,
  async run({ feedId, anyway }, tools) {
    const feed = await feeds.find(tools.db, feedId)
    if (!feed || feed.url === null) return null
    const given = { ...feed, url: feed.url }
    const importing = feed.kind === 'safe_browsing' ? importHashLists : importEntries
    return await readSource({
      read: () => importing(given, tools, anyway),
      async fail({ message }) {
        tools.log.warn({ feed: feed.name, err: message }, 'could not import a feed')
        await feeds.saveFailure(tools.db, feedId, message)
      },
    })
  },
  async giveUp({ feedId }, error, { db }) {
    await feeds.saveFailure(db, feedId, toStorableText(error.message, 500))
  },
})

async function importEntries(feed: FeedWithUrl, tools: ImportTools, anyway: boolean) {
  const { db, outbound, own, signal } = tools
  const request = {
    timeout: fetchTimeout,
    maxBytes: mostBytes,
    signal,
    headers: keyOf(feed),
    server: 'The feed server',
  }
  const imported = await fetchFile(outbound, feed, request, async ({ body }, validators) =>
    replaceEntries(db, feed, readFeed(feed, body), { own, signal, validators, anyway }),
  )
  if (imported !== 'unchanged') return imported
  await feeds.markUnchanged(db, feed.id)
  return { unchanged: true }
}

/** Returns the header with the key that the feed’s server requires. */
function keyOf({ kind }: feeds.Feed): Record<string, string> {
  const key = kind === 'urlhaus' ? config.URLHAUS_AUTH_KEY : undefined
  return key === undefined ? {} : { 'auth-key': key }
}
