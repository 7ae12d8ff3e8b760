import type { Request } from 'sip'
import type { Dialog } from '#sql/voice/legs.ts'

/** Events of a leg for its call. */
export interface LegListener<Leg> {
  /** The leg hung up, or its dialog no longer exists, with a specific reason if there is one. */
  hungUp(leg: Leg, reason?: string): void
  /** The leg requests a session change with a re-INVITE or UPDATE. */
  changed(leg: Leg, request: Request): void
}

/** Events of a pending INVITE. */
export interface InviteListener {
  /** Called before the INVITE is sent. Another worker can need its dialog to end the call. */
  stored(dialog: Dialog): Promise<void>
  ringing(): void
}
