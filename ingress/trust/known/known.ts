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

/** What a process knows at a moment: as long as its lease holds, what the database would say. */
export interface KnownNow {
  /** All that the organisation says of hosts; undefined where the database is to be asked. */
  policies: Policies | undefined
  /** All feeds, when none of them lists any of these prefixes; undefined where the database is to be asked. */
  unlisted(prefixes: readonly number[]): readonly FeedFacts[] | undefined
}

/** What a process knows of URLs, by which most checks ask the database nothing. */
export interface Known {
  /** What is known for an organisation; undefined where nothing is known to be so any more. */
  now(orgId: string): KnownNow | undefined
  close(): Promise<void>
}

/** What this process knows of URLs. */
export const known = service<Known>({
  name: 'trust.known',
  open: ({ db }) => createKnown(db),
  close: (known) => known.close(),
})

/** Knows nothing before the first check; then as much as is asked for, and is told of changes. */
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
