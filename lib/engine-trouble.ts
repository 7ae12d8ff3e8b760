/** Error codes of engine failures that the input did not cause. A retry can help. After a timeout, retry only once. */
export type EngineErrorCode = 'killed' | 'timeout' | 'no_space' | 'no_memory' | 'missing' | 'failed'

export class TransientEngineError extends Error {
  override name = 'TransientEngineError'
  readonly code: EngineErrorCode

  constructor(code: EngineErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
