/** What a class of replies means for the message, its recipient, and the MX set. */
export interface ReplyClass {
  /** `retry` until the message is given up; `bounce`: the other side's last word; `fail`: ours. */
  then: 'retry' | 'bounce' | 'fail'
  /** The address or its domain is not there. */
  hard?: true
  /** Nothing is sent there any more: at once, or when it comes again within so many milliseconds. */
  suppress?: 'always' | { strikes: number; withinMs: number }
  /** Attempts at most, where that is fewer than time allows; the last one bounces. */
  tries?: number
  /** Milliseconds before the next attempt at least. */
  afterMs?: number
  /** The MX set takes less from this address: it is slowed by a level, and left alone for so many milliseconds. */
  slow?: { suspendMs: number }
  /** Another address of the pool may be taken. */
  elsewhere?: true
}

const [minute, hour] = [60_000, 3_600_000]
const day = 24 * hour

/** Every class, by the name under which messages and attempts have it. */
export const classes = {
  // The recipient.
  invalid_recipient: { then: 'bounce', hard: true, suppress: 'always' },
  invalid_domain: { then: 'bounce', hard: true, suppress: 'always' },
  owner_changed: { then: 'bounce', hard: true, suppress: 'always' },
  recipient_disabled: { then: 'bounce', hard: true, suppress: { strikes: 2, withinMs: day } },
  mailbox_full: { then: 'retry', tries: 5, suppress: { strikes: 3, withinMs: 30 * day } },
  recipient_busy: { then: 'retry', afterMs: 10 * minute },
  // The message.
  too_large: { then: 'bounce' },
  content: { then: 'bounce' },
  // The sender.
  policy: { then: 'bounce' },
  authentication: { then: 'bounce' },
  bad_sender: { then: 'bounce' },
  blocked: { then: 'retry', tries: 4, elsewhere: true, slow: { suspendMs: hour } },
  // The moment.
  greylisted: { then: 'retry', afterMs: 5 * minute },
  rate_limited: { then: 'retry', afterMs: 5 * minute, slow: { suspendMs: minute } },
  complained_about: { then: 'retry', elsewhere: true, afterMs: 2 * hour, slow: { suspendMs: 2 * hour } },
  closing: { then: 'retry', slow: { suspendMs: 10_000 } },
  temporary: { then: 'retry' },
  // The way.
  unreachable: { then: 'retry', slow: { suspendMs: minute } },
  broken: { then: 'retry' },
  unanswered: { then: 'retry' },
  dns: { then: 'retry' },
  tls: { then: 'retry', slow: { suspendMs: 5 * minute } },
  mta_sts: { then: 'retry' },
  routing: { then: 'fail' },
  loop: { then: 'fail' },
  protocol: { then: 'retry', tries: 2 },
  unknown: { then: 'bounce', hard: true, suppress: { strikes: 2, withinMs: day } },
  // Ours.
  expired: { then: 'fail' },
  unsignable: { then: 'fail' },
} as const satisfies Record<string, ReplyClass>

/** The name of a class. */
export type ClassName = keyof typeof classes

/** What a class means. */
export const classOf = (name: ClassName): ReplyClass => classes[name]
