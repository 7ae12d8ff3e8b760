import type { Ending } from '#sql/voice/calls.ts'

/** Thrown where a call comes to its end. */
export class CallOver extends Error {
  override name = 'CallOver'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.reason)
    this.ending = ending
  }
}

/** The call's row was taken from this worker: whoever has it ends its dialogs, too. */
export class CallTaken extends Error {
  override name = 'CallTaken'

  constructor() {
    super('the call is another worker’s')
  }
}
