/** What went wrong with an engine rather than with its input; trying again may help, a timeout once. */
export type EngineTroubleCode = 'killed' | 'timeout' | 'no_space' | 'no_memory' | 'missing' | 'failed'

/** An engine that did not finish for reasons that are not its input's: retryable. */
export class EngineTrouble extends Error {
  override name = 'EngineTrouble'
  readonly code: EngineTroubleCode

  constructor(code: EngineTroubleCode, message: string) {
    super(message)
    this.code = code
  }
}
