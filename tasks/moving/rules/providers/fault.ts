/** Ends an import. The message is for the customer. */
export class MovingFault extends Error {
  override name = 'MovingFault'
}

/** A request that can work later, after at least `seconds` if the provider requests it. */
export class PassingFault extends Error {
  override name = 'PassingFault'
  readonly seconds: number
  /** True if the provider limits the rate, so the request does not count as failed. */
  readonly isPaced: boolean

  constructor(message: string, seconds = 0, isPaced = false) {
    super(message)
    this.seconds = seconds
    this.isPaced = isPaced
  }
}
