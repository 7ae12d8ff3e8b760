import type { SMTPServerDataStream } from 'smtp-server'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { AdmittedConnection } from './admission.ts'
import { RefusalError } from './refusal.ts'

/** Number of bytes that count as progress. A client that sends single bytes makes no progress. */
const progressBytes = 16 * 1024

/** Calls back with the result. All errors except `RefusalError` cause a temporary reply. */
export function answer<T>(done: (error: Error | null, value?: T) => void, work: () => Promise<T>): void {
  work().then(
    (value) => done(null, value),
    (error: Error) => {
      if (error instanceof RefusalError) return done(error)
      log.warn({ err: describe(error) }, 'email could not be accepted')
      done(new RefusalError(451, 'Try again later'))
    },
  )
}

export const tooLarge = (most: number) => new RefusalError(552, `The message is larger than ${most} bytes`)

/** Throws if the connection breaks before the end of the message. */
export async function whole<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    log.debug({ err: describe(error) }, 'received an incomplete email')
    throw new RefusalError(451, 'The message is incomplete')
  }
}

/** Returns the chunks of an email. Closes the connection if the client exceeds the limit by far. */
export async function* upTo(
  stream: SMTPServerDataStream,
  most: number,
  cut: () => void,
  connection: AdmittedConnection | undefined,
): AsyncGenerator<Buffer> {
  let length = 0
  let counted = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > most) cut()
    if (length - counted >= progressBytes) {
      counted = length
      connection?.progress()
    }
    yield chunk
  }
}
