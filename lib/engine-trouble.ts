/** Error codes of an engine failure that its input did not cause. A retry can help. After a timeout, retry once. */
export type EngineTroubleCode = 'killed' | 'timeout' | 'no_space' | 'no_memory' | 'missing' | 'failed'

export class EngineTrouble extends Error {
  override name = 'EngineTrouble'
  readonly code: EngineTroubleCode

  constructor(code: EngineTroubleCode, message: string) {
    super(message)
    this.code = code
  }
}
