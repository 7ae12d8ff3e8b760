/** What a class of replies means for the message, its recipient, and the MX set. */
export interface ReplyClass {
  /** `retry` until the message is given up; `bounce`: the other side's last word; `fail`: ours. */
  action: 'retry' | 'bounce' | 'fail'
  /** The address or its domain is not there. */
  hard?: true
  /** Nothing is sent there any more: at once, or when it comes again within so many milliseconds. */
  suppress?: 'always' | { strikes: number; withinMs: number }
  /** Attempts at most, where that is fewer than time allows; the last one bounces. */
  tries?: number
  /** Milliseconds before the next attempt at least. */
  afterMs?: number
  /**
   * The MX set takes less from this address: it is slowed by a level, and left alone for so many milliseconds. `ifNamed`: only when the
   * reply names our IP address or host, as its words alone may be about one message.
   */
  slow?: { suspendMs: number; ifNamed?: true }
  /** Another address of the pool may be taken. */
  elsewhere?: true
}

const [minute, hour] = [60_000, 3_600_000]
const day = 24 * hour

/** Every class, by the name under which messages and attempts have it, whether it was said at once or in a report later. */
export const classes = {
  // The recipient.
  invalid_recipient: { action: 'bounce', hard: true, suppress: 'always' },
  invalid_domain: { action: 'bounce', hard: true, suppress: 'always' },
  owner_changed: { action: 'bounce', hard: true, suppress: 'always' },
  recipient_disabled: { action: 'bounce', hard: true, suppress: { strikes: 2, withinMs: day } },
  mailbox_full: { action: 'retry', tries: 5, suppress: { strikes: 3, withinMs: 30 * day } },
  recipient_busy: { action: 'retry', afterMs: 10 * minute },
  // The message.
  too_large: { action: 'bounce' },
  content: { action: 'bounce' },
  // The sender.
  policy: { action: 'bounce' },
  authentication: { action: 'bounce' },
  bad_sender: { action: 'bounce' },
  blocked: { action: 'retry', tries: 4, elsewhere: true, slow: { suspendMs: hour, ifNamed: true } },
  // The moment.
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
  // The way.
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

export const classOf = (name: ClassName): ReplyClass => classes[name]

const named = (holds: (meaning: ReplyClass) => boolean): string[] =>
  Object.entries<ReplyClass>(classes).flatMap(([name, meaning]) => (holds(meaning) ? [name] : []))

/** Classes of bounces by what they leave to say: those that count for the bounce rate, and those after which nothing more is told. */
export const bounceClasses = {
  hard: named(({ hard }) => hard === true),
  final: named(({ suppress }) => suppress === 'always'),
}
