import { counter, type Reading, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { IpPool } from '#sql/email/delivery/pool-keys.ts'

const outcomes = counter('millrace_mail_attempts_total', 'Attempts to deliver a message, by outcome and reply class.', [
  'pool',
  'outcome',
  'reply_class',
])

export const countOutcome = (pool: IpPool, outcome: string, replyClass = 'none'): void =>
  outcomes.inc({ pool, outcome, reply_class: replyClass })

const mostNamed = 30

const connections = watchedGauge(
  'millrace_mail_connections',
  'SMTP connections of this process: open ones, and those that waiting jobs need. The MX sets with the most connections have their own series, the others are summed as other.',
  ['pool', 'mx_set', 'state'],
)

interface Count {
  open: number
  waiting: number
}

const counts: Record<IpPool, Map<string, Count>> = { transactional: new Map(), campaign: new Map() }

connections.watch(() => [...readingsOf('transactional'), ...readingsOf('campaign')])

function readingsOf(pool: IpPool): Reading[] {
  const sorted = [...counts[pool]].toSorted(([, a], [, b]) => b.open + b.waiting - a.open - a.waiting)
  const named = sorted.slice(0, mostNamed).map(([mx_set, count]) => ({ mx_set: mx_set.slice(0, 100), ...count }))
  const rest = sorted.slice(mostNamed).map(([, count]) => count)
  const other = {
    mx_set: 'other',
    open: rest.reduce((sum, { open }) => sum + open, 0),
    waiting: rest.reduce((sum, { waiting }) => sum + waiting, 0),
  }
  return [...named, ...(rest.length > 0 ? [other] : [])].flatMap(({ mx_set, open, waiting }) => [
    { labels: { pool, mx_set, state: 'open' }, value: open },
    { labels: { pool, mx_set, state: 'waiting' }, value: waiting },
  ])
}

export function countConnection(pool: IpPool, mxSet: string, state: keyof Count, by: 1 | -1): void {
  const count = counts[pool].get(mxSet) ?? { open: 0, waiting: 0 }
  count[state] += by
  if (count.open === 0 && count.waiting === 0) counts[pool].delete(mxSet)
  else counts[pool].set(mxSet, count)
}
