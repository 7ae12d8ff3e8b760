import type { Socket } from 'node:net'

/** The connection ended without an answer. */
export class Unanswered extends Error {
  override name = 'Unanswered'
}

/**
 * Has `say` say something to clamd on a fresh connection, and returns what it answers, which may be before all is said. Throws
 * `Unanswered`, what `say` throws, or the signal's reason. The connection is over then.
 */
export async function converse(client: Socket, signal: AbortSignal, say: () => Promise<void>): Promise<string> {
  const answered = answerOf(client, signal)
  const stop = () => client.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    const said = say().then(() => answered)
    // Whichever is first; the other one's end is nobody's any more.
    for (const end of [answered, said]) end.catch(() => {})
    return await Promise.race([answered, said])
  } finally {
    signal.removeEventListener('abort', stop)
    client.destroy()
  }
}

const unanswered = () => new Unanswered('clamd hung up without an answer')

/** All that clamd says until it hangs up, which it does after each answer. */
async function answerOf(client: Socket, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  let fault: Error | undefined
  client.setEncoding('utf8')
  client.on('data', (text) => {
    said += text
  })
  client.on('error', (error: Error) => {
    fault = signal.aborted ? signal.reason : new Unanswered(error.message, { cause: error })
  })
  // A whole answer counts, even where its hanging up cut off what was still on its way there.
  client.on('close', () => (said.endsWith('\0') ? resolve(said.slice(0, -1)) : reject(fault ?? unanswered())))
  return await promise
}
