import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { sessionUrl } from '#sql/session-url.ts'
import type { FeedFacts } from '#sql/trust/entries.ts'
import { listingsChannel, type Policies } from '#sql/trust/listings.ts'
import { feedsState } from '#sql/trust/prefixes.ts'
import { service } from '../../http/container.ts'
import { createLease } from './lease.ts'
import { createKnownLists } from './lists.ts'
import { createKnownPrefixes } from './prefixes.ts'

/** Data in memory at one moment. While its lease holds, it equals the database. */
export interface KnownNow {
  /** The organisation’s policies. Undefined if the database must be queried. */
  policies: Policies | undefined
  /** Returns all feeds if none of them lists one of these prefixes. Undefined if the database must be queried. */
  unlisted(prefixes: readonly number[]): readonly FeedFacts[] | undefined
}

/** Feed data in the memory of a process, so that most checks need no query. */
export interface Known {
  /** Returns the data for an organisation. Undefined if it may be outdated. */
  now(orgId: string): KnownNow | undefined
  close(): Promise<void>
}

export const known = service<Known>({
  name: 'trust.known',
  open: ({ db }) => createKnown(db),
  close: (known) => known.close(),
})

/** Starts empty at the first check, loads on demand, and is notified of changes. */
function createKnown(db: DatabasePool): Known {
  const prefixes = createKnownPrefixes(db)
  const lists = createKnownLists(db)
  let listener: Listener | undefined
  let state = ''

  function listening(): Listener {
    if (!listener) {
      listener = listen(sessionUrl(db), [listingsChannel])
      listener.on(listingsChannel, lists.forget)
      listener.onConnect(lists.forgetAll)
    }
    return listener
  }

  const lease = createLease(async () => {
    const [current] = await Promise.all([feedsState(db), listening().caughtUp()])
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
