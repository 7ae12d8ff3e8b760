import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'

/** What a turn begins with. */
export const Turn = z.object({
  /** Whose mail is due. */
  domain: z.string(),
  /** The MX set it had when the turn was asked for; undefined when it was not looked up. */
  set: z.string().optional(),
})

/** What a turn begins with. */
export type Turn = z.infer<typeof Turn>

/** A mail to the operator that is handed on. */
export interface Forwarded {
  to: string
  /** By which the other side may report on it (RFC 3461 §4.4). */
  id: string
  bytes: Buffer
}

/** What delivers mail on a worker: connections to MX hosts or a smarthost, MIME, DKIM (workers/mail). */
export interface MailEngine {
  /**
   * Delivers what is due to the MX set of a domain over one connection, until nothing is, or others shall have their turn. Whoever
   * ends a turn has the next one wait for what is left.
   */
  turn(turn: Turn, db: DatabasePool, signal: AbortSignal): Promise<void>
  /** Hands over one mail that is no organisation's; rejects when it was not taken. */
  forward(mail: Forwarded, signal: AbortSignal): Promise<void>
  /** Ends idle connections. */
  close(): Promise<void>
}
