import type { Reason } from '#sql/live/restream-queries.ts'

export class RestreamFault extends Error {
  override name = 'RestreamFault'
  readonly reason: Reason

  constructor(reason: Reason) {
    super(`A target receives nothing of the broadcast: ${reason}.`)
    this.reason = reason
  }
}
