import type { DatabasePool } from '#sql/db.ts'
import type { Html } from '../html/html.ts'
import type { Region } from './regions.ts'

const days = { '7d': 7, '30d': 30, '90d': 90 } as const

export const daySpans = Object.keys(days) as [keyof typeof days, ...(keyof typeof days)[]]

const isSpan = (text: string): text is keyof typeof days => Object.hasOwn(days, text)

export const daysRegion = (read: (db: DatabasePool, days: number) => Promise<Html>): Region => ({
  everyMs: 15_000,
  fits: ([span = '']) => isSpan(span),
  read: async (db, [span = '']) => (isSpan(span) ? await read(db, days[span]) : null),
})
