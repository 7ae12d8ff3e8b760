export class WebRefusal extends Error {
  override name = 'WebRefusal'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Not an error of the client. It can try again. */
export const createBusyRefusal = () =>
  new WebRefusal(503, 'unavailable', 'The media server is not responding. Try again in a moment.')
