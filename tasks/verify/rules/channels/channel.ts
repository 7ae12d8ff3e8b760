import type { Db } from '#sql/db.ts'
import type { Settings } from '#sql/verify/settings.ts'
import type { Verification } from '#sql/verify/verifications.ts'

/** A code to send to the recipient of a verification. */
export interface CodeMessage {
  verification: Verification
  settings: Settings
  /** The code, hidden for all except the recipient. For a test key, the code itself, because nothing is delivered. */
  code: string
  /** Domains from which the key can send. Undefined if the key has no such lock. */
  fromDomains: readonly string[] | undefined
}

/** ID of the message, or the reason why its area did not accept it. */
export type SendOutcome = { messageId: string } | { refused: string }

export interface DeliveryReport {
  delivery: 'queued' | 'sent' | 'delivered' | 'failed'
  reason: string | null
}

export interface CodeChannel {
  /** Submits the message to the area of the channel, in the caller’s transaction. */
  send(tx: Db, message: CodeMessage): Promise<SendOutcome>
  /** Returns the state of the delivery. Null if the message was deleted. */
  report(db: Db, orgId: string, messageId: string): Promise<DeliveryReport | null>
}
