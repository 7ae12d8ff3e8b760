import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { IpPool } from '#sql/email/deliveries.ts'

const outcomes = counter(
  'millrace_mail_attempts_total',
  'Attempts to deliver a message, by what came of them and the class of the reply.',
  ['pool', 'outcome', 'reply_class'],
)

/** Counts an attempt. */
export const noteOutcome = (pool: IpPool, outcome: string, replyClass = 'none'): void =>
  outcomes.inc({ pool, outcome, reply_class: replyClass })

/** MX sets that are shown by their own name; all others together. */
const mostNamed = 30

const connections = watchedGauge(
  'millrace_mail_connections',
  'SMTP connections of this process: open, and wanted by jobs that wait for a session. The MX sets with most are shown, the rest as other.',
  ['pool', 'mx_set', 'state'],
)

/** The connections of one pool's jobs, as metrics show them. */
export class ConnectionGauge {
  readonly #counts = new Map<string, { open: number; waiting: number }>()

  constructor(pool: IpPool) {
    connections.watch(() => {
      const sorted = [...this.#counts].toSorted(([, a], [, b]) => b.open + b.waiting - a.open - a.waiting)
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
    })
  }

  /** Counts connections of an MX set that came or went. */
  add(mxSet: string, state: 'open' | 'waiting', by: 1 | -1): void {
    const count = this.#counts.get(mxSet) ?? { open: 0, waiting: 0 }
    count[state] += by
    if (count.open === 0 && count.waiting === 0) this.#counts.delete(mxSet)
    else this.#counts.set(mxSet, count)
  }
}
