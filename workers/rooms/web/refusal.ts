/** Why a worker does not take a connection; ingress answers with it. */
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

/** It is no fault of the client's, who may try again. */
export const busy = () =>
  new WebRefusal(503, 'unavailable', 'The media server does not respond. Try again in a moment.')
