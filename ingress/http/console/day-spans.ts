import type { DatabasePool } from '#sql/db.ts'
import type { Html } from './html.ts'
import type { Region } from './regions.ts'

/** Days of each span, by the word of its link. */
const days = { '7d': 7, '30d': 30, '90d': 90 } as const

/** The spans of pages that count by the day. */
export const daySpans = Object.keys(days) as [keyof typeof days, ...(keyof typeof days)[]]

const isSpan = (text: string): text is keyof typeof days => Object.hasOwn(days, text)

/** A region that shows as many days as the span says that its page was asked for. */
export const daysRegion = (read: (db: DatabasePool, days: number) => Promise<Html>): Region => ({
  everyMs: 15_000,
  fits: ([span = '']) => isSpan(span),
  read: async (db, [span = '']) => (isSpan(span) ? await read(db, days[span]) : null),
})
