/** Ends an import. The message is for the customer. */
export class MovingFault extends Error {
  override name = 'MovingFault'
}

/** An object that cannot be read: it does not exist any more, or is too large. Other objects are not affected. */
export class ObjectFault extends MovingFault {
  override name = 'ObjectFault'
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

/** A response whose fields are invalid. */
export class FormFault extends PassingFault {
  override name = 'FormFault'
}
