import type { OutboundClient } from '#lib/http.ts'
import type { Feed } from '#sql/trust/feeds.ts'
import type { Attempt } from '../../queue/task.ts'

export type ImportTools = Attempt & { outbound: OutboundClient }

export type FeedWithUrl = Feed & { url: string }
