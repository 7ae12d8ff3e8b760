import { config } from '#lib/config.ts'
import { createSlots, NoSlotError } from '#lib/slots.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import {
  type IncomingMail,
  type MailReader,
  ReaderBusyError,
  type ReadMail,
  UnreadableError,
} from '#tasks/email/rules/received/reader.ts'
import type { work } from './thread.ts'

/** More threads than cores, because an email can wait seconds for name servers. */
const usual = { threads: 3, seconds: 20, megabytes: 256 }

/**
 * Maximum number of emails that wait for a thread. Others stay in the queue, so that they do not block slots of the
 * pool.
 */
const waiting = 3

/** Creates threads with limits for time and memory, so that no email blocks the process. */
export function createMailReader(
  limits = usual,
  servers: readonly string[] = config.DNS_RESOLVERS,
): MailReader & { close(): Promise<void> } {
  const threads = threadPool<typeof work>(new URL('./thread.ts', import.meta.url), limits)
  // A slot is taken before the bytes are fetched, so that only emails in progress are in memory.
  const slots = createSlots(limits.threads, waiting)

  async function inThread(
    { sender, remoteAddress, helo }: IncomingMail,
    bytes: Uint8Array,
    asItIs: boolean,
    signal: AbortSignal,
  ): Promise<ReadMail> {
    const settings = { mta: config.MAIL_HOSTNAME, servers: [...servers] }
    try {
      return await threads.run({ bytes, sender, remoteAddress, helo, asItIs, ...settings }, signal)
    } catch (error) {
      signal.throwIfAborted()
      throw new UnreadableError(error instanceof ThreadLimitError ? error.message : 'The content is not an email.')
    }
  }

  return {
    async read(mail, signal) {
      using _ = await slots.take(signal).catch((error) => {
        throw error instanceof NoSlotError ? new ReaderBusyError('Too many emails are being read.') : error
      })
      const bytes = await mail.fetch()
      try {
        return await inThread(mail, bytes, false, signal)
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error
        // The conversion of HTML to text may have taken too long.
        return await inThread(mail, bytes, true, signal)
      }
    },
    close: () => threads.close(),
  }
}
