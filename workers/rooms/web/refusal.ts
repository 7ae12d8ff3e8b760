export class WebRefusalError extends Error {
  override name = 'WebRefusalError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The client is not the cause and can try again. */
export const createBusyRefusal = () =>
  new WebRefusalError(503, 'unavailable', 'The media server is not responding. Try again in a moment.')
