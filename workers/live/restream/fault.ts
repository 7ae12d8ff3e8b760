import type { Reason } from '#sql/live/restreams.ts'

/** Why a target has nothing. */
export class RestreamFault extends Error {
  override name = 'RestreamFault'
  readonly reason: Reason

  constructor(reason: Reason) {
    super(`A target has nothing of the broadcast: ${reason}.`)
    this.reason = reason
  }
}
