import { config } from '#lib/config.ts'
import { createSlots, NoSlot } from '#lib/slots.ts'
import { ThreadLimit, threadPool } from '#lib/threads.ts'
import { type BroughtMail, type MailReader, ReaderBusy, type ReadMail, Unreadable } from '#tasks/email/rules/reader.ts'
import type { work } from './thread.ts'

/** A mail may have name servers wait for seconds, so that there are more threads than cores to do them. */
const usual = { threads: 3, seconds: 20, megabytes: 256 }

/** Mails that wait for a thread; what is beyond waits in the queue, and holds no hand of the pool. */
const waiting = 3

/** Reads mail in threads that are bounded in time and memory, so that no mail holds up the process. */
export function createMailReader(
  limits = usual,
  servers: readonly string[] = config.DNS_RESOLVERS,
): MailReader & { close(): Promise<void> } {
  const threads = threadPool<typeof work>(new URL('./thread.ts', import.meta.url), limits)
  // Taken before a mail is fetched: only as many as are read are in memory.
  const slots = createSlots(limits.threads, waiting)

  async function inThread(
    { sender, remoteAddress, helo }: BroughtMail,
    bytes: Uint8Array,
    asItIs: boolean,
    signal: AbortSignal,
  ): Promise<ReadMail> {
    const settings = { mta: config.MAIL_HOSTNAME, servers: [...servers] }
    try {
      return await threads.run({ bytes, sender, remoteAddress, helo, asItIs, ...settings }, signal)
    } catch (error) {
      signal.throwIfAborted()
      throw new Unreadable(error instanceof ThreadLimit ? error.message : 'The bytes are not an email.')
    }
  }

  return {
    async read(mail, signal) {
      using _ = await slots.take(signal).catch((error) => {
        throw error instanceof NoSlot ? new ReaderBusy('Too many emails are being read.') : error
      })
      const bytes = await mail.fetch()
      try {
        return await inThread(mail, bytes, false, signal)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        // Its HTML may be what takes so long to be read as text.
        return await inThread(mail, bytes, true, signal)
      }
    },
    close: () => threads.close(),
  }
}
