/** A result with its response. */
export interface WithResponse<Reply> {
  data: Reply
  /** Status and headers of the response. Its body is already read. */
  response: Response
  /** ID of the request in the request log. */
  requestId: string | undefined
}

/** The result of a call. Await it to get the result, or call `withResponse` to get also the response. */
export class APIPromise<Reply> extends Promise<Reply> {
  readonly #settled: Promise<WithResponse<Reply>>

  /** `then` and similar methods return a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(settled: Promise<WithResponse<Reply>>) {
    super((resolve, reject) => {
      settled.then(({ data }) => resolve(data), reject)
    })
    this.#settled = settled
  }

  /** Returns the result with the headers and the request ID of its response. */
  withResponse(): Promise<WithResponse<Reply>> {
    // The caller handles an error of the returned promise. Nobody awaits this one.
    this.catch(() => {})
    return this.#settled
  }
}
