import { z } from 'zod'
import type * as engagements from '#sql/email/engagements.ts'
import { Instant } from '../../http/instant.ts'

const counts = {
  count: z.int().describe('Number of requests by readers'),
  machine_count: z.int().describe('Number of requests by machines, such as image proxies and security scanners'),
  first_at: Instant.nullable().describe('First request by a reader'),
  last_at: Instant.nullable().describe('Last request by a reader'),
}

export const Engagement = z
  .object({
    opens: z.object(counts),
    clicks: z.object(counts),
    links: z.array(z.object({ url: z.string(), ...counts })).describe('Links that were opened, up to 500'),
  })
  .meta({ id: 'email.Engagement' })

const mostLinks = 500

export function presentEngagement(rows: readonly engagements.Engagement[]): z.input<typeof Engagement> {
  const clicks = rows.filter(({ kind }) => kind === 'click')
  return {
    opens: sum(rows.filter(({ kind }) => kind === 'open')),
    clicks: sum(clicks),
    links: [...Map.groupBy(clicks, ({ url }) => url)].slice(0, mostLinks).map(([url, of]) => ({ url, ...sum(of) })),
  }
}

function sum(rows: readonly engagements.Engagement[]) {
  const readers = rows.filter(({ machine }) => !machine)
  const add = (of: readonly engagements.Engagement[]) => of.reduce((all, { count }) => all + count, 0)
  const times = (name: 'first_at' | 'last_at') => readers.map((row) => row[name].getTime())
  return {
    count: add(readers),
    machine_count: add(rows) - add(readers),
    first_at: readers.length > 0 ? new Date(Math.min(...times('first_at'))) : null,
    last_at: readers.length > 0 ? new Date(Math.max(...times('last_at'))) : null,
  }
}
