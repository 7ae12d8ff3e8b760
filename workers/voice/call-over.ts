import type { Ending } from '#sql/voice/calls.ts'

/** Thrown when the call ends. */
export class CallEnded extends Error {
  override name = 'CallOver'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.reason)
    this.ending = ending
  }
}

/** The call now belongs to another worker, which also ends its dialogs. */
export class CallClaimedElsewhere extends Error {
  override name = 'CallTaken'

  constructor() {
    super('the call belongs to another worker')
  }
}
