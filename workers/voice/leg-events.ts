import type { Dialog } from '#sql/voice/legs.ts'
import type { Request } from './sip/library.ts'

export interface LegListener<Leg> {
  /** Called if the leg hung up or its dialog no longer exists, with a specific reason if there is one. */
  hungUp(leg: Leg, reason?: string): void
  changed(leg: Leg, request: Request): void
}

export interface InviteListener {
  /** Called before the INVITE is sent. Another worker may need the dialog to end the call. */
  stored(dialog: Dialog): Promise<void>
  ringing(): void
}
