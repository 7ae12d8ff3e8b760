import type { Request } from 'sip'
import type { Dialog } from '#sql/voice/legs.ts'

/** What a leg tells the call that it belongs to. */
export interface LegListener<Leg> {
  /** It hung up, or the dialog turned out to be gone: for a reason of its own if there is one. */
  hungUp(leg: Leg, reason?: string): void
  /** It wants another session: a re-INVITE or an UPDATE. */
  changed(leg: Leg, request: Request): void
}

/** What an INVITE tells while it is under way. */
export interface InviteListener {
  /** Before it leaves: whoever ends the call must know its dialog by then. */
  stored(dialog: Dialog): Promise<void>
  ringing(): void
}
