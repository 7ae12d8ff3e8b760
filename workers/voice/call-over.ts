import type { Ending } from '#sql/voice/calls.ts'

/** Thrown when the call ends. */
export class CallEnded extends Error {
  override name = 'CallEnded'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.reason)
    this.ending = ending
  }
}

/** The call now belongs to another worker. That worker also ends the call's dialogs. */
export class CallClaimedElsewhereError extends Error {
  override name = 'CallClaimedElsewhereError'

  constructor() {
    super('the call belongs to another worker')
  }
}
