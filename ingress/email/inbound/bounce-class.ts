/** What a bounce after the delivery means (RFC 3463 §3), in the words of replies to our own connections. */
export interface BounceClass {
  replyClass: string
  /** The address or its domain is not there: nothing is sent to it any more, and it counts for the bounce rate. */
  hard: boolean
}

/** By subject and detail of the status; a detail of its own goes before its whole subject. */
const classes: Record<string, string> = {
  '1': 'invalid_recipient',
  '1.2': 'invalid_domain',
  '1.7': 'bad_sender',
  '1.8': 'bad_sender',
  '1.10': 'invalid_domain',
  '2': 'mailbox_unavailable',
  '2.2': 'mailbox_full',
  '2.3': 'content',
  '3': 'system',
  '3.4': 'content',
  '4': 'routing',
  '4.7': 'expired',
  '5': 'protocol',
  '6': 'content',
  '7': 'policy',
}

const gone = new Set(['invalid_recipient', 'invalid_domain'])

/** Judges by the enhanced status alone: what follows its first figure counts, which of 4 and 5 is known by the action. */
export function classOf(status: string | null): BounceClass {
  const [, subject = '', detail = ''] = /^[245]\.(\d+)\.(\d+)$/.exec(status ?? '') ?? []
  const replyClass = classes[`${subject}.${detail}`] ?? classes[subject] ?? 'unknown'
  return { replyClass, hard: gone.has(replyClass) && status?.startsWith('5') === true }
}
