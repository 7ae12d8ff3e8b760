/** A stream for text, such as standard output. */
export interface Output {
  write(text: string, done: (error?: Error | null) => void): unknown
  once(event: 'error', listener: (error: Error) => void): unknown
}

export interface Writer {
  /** Writes a message as one line. Resolves when the reader has accepted it, so a slow reader delays requests. */
  write(message: unknown): Promise<void>
  /** True if the reader has closed the stream. */
  isClosed(): boolean
}

export function createWriter(output: Output): Writer {
  let closed = false
  output.once('error', () => {
    closed = true
  })
  return {
    write: (message) =>
      new Promise((resolve) => {
        if (closed) return resolve()
        output.write(`${JSON.stringify(message)}\n`, (error) => {
          closed ||= error instanceof Error
          resolve()
        })
      }),
    isClosed: () => closed,
  }
}
