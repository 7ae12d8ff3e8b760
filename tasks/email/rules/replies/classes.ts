export interface ReplyClass {
  /** `retry`: until the message is given up. `bounce`: permanent rejection. `fail`: decision of this installation. */
  action: 'retry' | 'bounce' | 'fail'
  /** True if the address or its domain does not exist. */
  hard?: true
  /** Suppresses the address: always, or after `strikes` rejections within the given milliseconds. */
  suppress?: 'always' | { strikes: number; withinMs: number }
  /** Maximum number of attempts, if lower than the delivery time allows. The last attempt bounces. */
  tries?: number
  /** Minimum delay before the next attempt, in milliseconds. */
  afterMs?: number
  /**
   * Slows the MX set by a level and suspends it for `suspendMs`. `ifNamed`: only if the reply names this installation’s
   * IP address or host, because otherwise the words may be about one message.
   */
  slow?: { suspendMs: number; ifNamed?: true }
  /** True if the next attempt may use another address of the pool. */
  elsewhere?: true
}

const [minute, hour] = [60_000, 3_600_000]
const day = 24 * hour

/** All classes. Messages and attempts use their names, for an immediate reply and for a later report. */
export const classes = {
  invalid_recipient: { action: 'bounce', hard: true, suppress: 'always' },
  invalid_domain: { action: 'bounce', hard: true, suppress: 'always' },
  owner_changed: { action: 'bounce', hard: true, suppress: 'always' },
  recipient_disabled: { action: 'bounce', hard: true, suppress: { strikes: 2, withinMs: day } },
  mailbox_full: { action: 'retry', tries: 5, suppress: { strikes: 3, withinMs: 30 * day } },
  recipient_busy: { action: 'retry', afterMs: 10 * minute },
  too_large: { action: 'bounce' },
  content: { action: 'bounce' },
  policy: { action: 'bounce' },
  authentication: { action: 'bounce' },
  bad_sender: { action: 'bounce' },
  blocked: { action: 'retry', tries: 4, elsewhere: true, slow: { suspendMs: hour, ifNamed: true } },
  greylisted: { action: 'retry', afterMs: 5 * minute },
  rate_limited: { action: 'retry', afterMs: 5 * minute, slow: { suspendMs: minute } },
  complained_about: {
    action: 'retry',
    elsewhere: true,
    afterMs: 2 * hour,
    slow: { suspendMs: 2 * hour, ifNamed: true },
  },
  closing: { action: 'retry', slow: { suspendMs: 10_000 } },
  temporary: { action: 'retry' },
  unreachable: { action: 'retry', slow: { suspendMs: minute } },
  broken: { action: 'retry' },
  unanswered: { action: 'retry' },
  dns: { action: 'retry' },
  tls: { action: 'retry', slow: { suspendMs: 5 * minute } },
  mta_sts: { action: 'retry' },
  routing: { action: 'fail' },
  loop: { action: 'fail' },
  protocol: { action: 'retry', tries: 2 },
  unknown: { action: 'bounce', hard: true, suppress: { strikes: 2, withinMs: day } },
  // Ours.
  expired: { action: 'fail' },
  unsignable: { action: 'fail' },
  too_costly: { action: 'fail' },
} as const satisfies Record<string, ReplyClass>

export type ClassName = keyof typeof classes

export const getReplyClass = (name: ClassName): ReplyClass => classes[name]

const named = (holds: (meaning: ReplyClass) => boolean): string[] =>
  Object.entries<ReplyClass>(classes).flatMap(([name, meaning]) => (holds(meaning) ? [name] : []))

/** Names of bounce classes: classes that count in the bounce rate, and classes that always suppress. */
export const bounceClasses = {
  hard: named(({ hard }) => hard === true),
  final: named(({ suppress }) => suppress === 'always'),
}
