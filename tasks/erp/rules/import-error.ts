/** Why a file could not be imported, in a sentence for operators. */
export class ImportError extends Error {
  override name = 'ImportError'
  /** It has too few of those before: an operator may have it take effect all the same. */
  readonly shrunk: boolean

  constructor(message: string, shrunk = false) {
    super(message)
    this.shrunk = shrunk
  }
}
