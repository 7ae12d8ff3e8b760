export class ImportError extends Error {
  override name = 'ImportError'
  /** True if the file has too few entries. An operator can still approve it. */
  readonly shrunk: boolean

  constructor(message: string, shrunk = false) {
    super(message)
    this.shrunk = shrunk
  }
}
