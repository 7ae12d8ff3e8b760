import type { OutboundClient } from '#lib/http.ts'
import type { Feed } from '#sql/trust/feeds.ts'
import type { Attempt } from '../../queue/task.ts'

/** What an import works with. */
export type ImportTools = Attempt & { outbound: OutboundClient }

/** A feed that can be fetched. */
export type FeedWithUrl = Feed & { url: string }
