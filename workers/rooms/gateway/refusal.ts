/** A message of a client is refused: told to it, and nothing else comes of it. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: string
  readonly details: unknown

  constructor(code: string, message: string, details?: unknown) {
    super(message)
    this.code = code
    this.details = details
  }
}
