import { cacheFor } from '#lib/cached-for.ts'
import { watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Db } from '#sql/db.ts'
import * as feeds from '#sql/trust/feeds.ts'

const about = 'Every process reports the same value for the whole fleet, so aggregate with max, not sum.'
const ages = watchedGauge(
  'millrace_trust_feed_age_seconds',
  `Seconds since a feed of threats was last confirmed as current. Feeds that were never imported have no value. ${about}`,
  ['feed'],
)
const limits = watchedGauge(
  'millrace_trust_feed_stale_after_seconds',
  `Seconds after which a feed of threats counts as stale. ${about}`,
  ['feed'],
)

/** Time in milliseconds until the feeds are read again. */
const freshMs = 30_000

/** Exports the age of each threat feed. Returns a function that stops it. */
export function observeFeeds(db: Db): () => void {
  const read = cacheFor(() => feeds.list(db), freshMs)
  const stop = [
    ages.watch(async () =>
      (await read()).flatMap(({ name: feed, checked_at }) =>
        checked_at === null ? [] : [{ labels: { feed }, value: (Date.now() - checked_at.getTime()) / 1000 }],
      ),
    ),
    limits.watch(async () =>
      (await read()).map(({ name: feed, stale_after_seconds: value }) => ({ labels: { feed }, value })),
    ),
  ]
  return () => {
    for (const end of stop) end()
  }
}
