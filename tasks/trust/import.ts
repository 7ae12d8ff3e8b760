import { z } from 'zod'
import { config } from '#lib/config.ts'
import type { OutboundStream } from '#lib/http.ts'
import { OutboundError } from '#lib/network/address-guard.ts'
import { toStorableText } from '#lib/outside-text.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { task } from '../queue/task.ts'
import { FeedError } from './rules/feed-error.ts'
import { mostBytes, readFeed } from './rules/formats.ts'
import type { FeedWithUrl, ImportTools } from './rules/importing.ts'
import { replaceEntries } from './rules/replace-entries.ts'
import { importHashLists } from './rules/safe-browsing/hash-lists.ts'

const timeout = 20 * 60_000

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
    try {
      const fetched = feed.kind === 'safe_browsing' ? importHashLists : fetchFeed
      return await fetched({ ...feed, url: feed.url }, tools, anyway)
    } catch (error) {
      if (!(error instanceof FeedError || error instanceof OutboundError)) throw error
      tools.log.warn({ feed: feed.name, err: error.message }, 'could not import a feed')
      await feeds.saveFailure(tools.db, feedId, toStorableText(error.message, 500))
      return { error: error.message }
    }
  },
})

async function fetchFeed(feed: FeedWithUrl, tools: ImportTools, anyway: boolean) {
  const { outbound, signal } = tools
  const options = { timeout, maxBytes: mostBytes, redirects: 5, signal, headers: headersOf(feed) }
  return await outbound.stream(feed.url, options, (response) => takeFeed(feed, response, tools, anyway))
}

async function takeFeed(
  feed: FeedWithUrl,
  { status, headers, body }: OutboundStream,
  tools: ImportTools,
  anyway: boolean,
) {
  if (status === 304) {
    await feeds.markUnchanged(tools.db, feed.id)
    return { unchanged: true }
  }
  if (status !== 200) throw new FeedError(`The feed server returned ${status}.`)
  const validators = { etag: textOf(headers.etag), last_modified: textOf(headers['last-modified']) }
  const { own, signal } = tools
  return await replaceEntries(tools.db, feed, readFeed(feed, body), { own, signal, validators, anyway })
}

/** Requests only changes, with the key that the feed’s server requires. */
function headersOf({ kind, etag, last_modified }: feeds.Feed): Record<string, string> {
  const key = kind === 'urlhaus' ? config.URLHAUS_AUTH_KEY : undefined
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(last_modified !== null && { 'if-modified-since': last_modified }),
    ...(key !== undefined && { 'auth-key': key }),
  }
}

const textOf = (header: string | string[] | undefined) =>
  typeof header === 'string' ? toStorableText(header, 500) : null
