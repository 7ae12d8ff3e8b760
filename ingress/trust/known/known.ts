import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import type { FeedFacts } from '#sql/trust/entries.ts'
import { listingsChannel, type Policies } from '#sql/trust/listings.ts'
import { getFeedsState } from '#sql/trust/prefixes.ts'
import { service } from '../../http/container.ts'
import { createLease } from './lease.ts'
import { createPolicyCache } from './lists.ts'
import { createPrefixCache } from './prefixes.ts'

/** Data in memory at one moment. While its lease is valid, the data equals the database. */
export interface FeedSnapshot {
  /** The organisation’s policies. Undefined if the database must be queried. */
  policies: Policies | undefined
  /** Returns all feeds if none of them lists one of these prefixes. Undefined if the database must be queried. */
  unlisted(prefixes: readonly number[]): readonly FeedFacts[] | undefined
}

/** Feed data in the memory of a process, so that most checks need no query. */
export interface FeedCache {
  /** Returns the data for an organisation. Undefined if it may be outdated. */
  now(orgId: string): FeedSnapshot | undefined
  close(): Promise<void>
}

export const feedCache = service<FeedCache>({
  name: 'trust.known',
  open: ({ db }) => createKnown(db),
  close: (known) => known.close(),
})

/** Creates the cache. It is empty until the first check, loads data on demand, and is notified of changes. */
function createKnown(db: DatabasePool): FeedCache {
  const prefixes = createPrefixCache(db)
  const lists = createPolicyCache(db)
  let listener: Listener | undefined
  let state = ''

  function listening(): Listener {
    if (!listener) {
      listener = listen(getSessionUrl(db), [listingsChannel])
      listener.on(listingsChannel, lists.forget)
      listener.onConnect(lists.forgetAll)
    }
    return listener
  }

  const lease = createLease(async () => {
    const [current] = await Promise.all([getFeedsState(db), listening().caughtUp()])
    state = current
  })

  return {
    now: (orgId) =>
      lease.holds() ? { policies: lists.of(orgId), unlisted: (asked) => prefixes.unlisted(state, asked) } : undefined,
    async close() {
      await Promise.all([lease.close(), prefixes.close()])
      await listener?.close()
    },
  }
}
