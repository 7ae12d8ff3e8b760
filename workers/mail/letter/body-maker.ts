import { ThreadLimitError, type ThreadLimits, threadPool } from '#lib/threads.ts'
import { type Body, type BodyContent, MessageBuildError } from '#tasks/email/engine.ts'
import { type BodyParts, buildBody } from './body.ts'
import type { work } from './body-thread.ts'
import { FairQueue } from './fair-turns.ts'
import { isNestedBeyond } from './nesting.ts'

/**
 * Maximum numbers of characters processed in this thread, because this takes only milliseconds. `read`: HTML to be
 * converted to text. `all`: all content together.
 */
const atOnce = { read: 32_768, all: 131_072 }

/** Maximum nesting depth. The time to convert HTML to text grows with the square of the depth. */
const mostNested = 10_000

/**
 * `reading` applies if HTML is converted to text. Otherwise bodies are only encoded, in time proportional to their
 * length.
 */
const usual = {
  reading: { threads: 2, seconds: 5, megabytes: 256 },
  encoding: { threads: 1, seconds: 10, megabytes: 256 },
}

/**
 * Creates message bodies. Small bodies are created in this thread. Larger ones use threads that organisations share, so
 * that no organisation blocks another.
 */
export function createBodyMaker(limits: { reading: ThreadLimits; encoding: ThreadLimits } = usual) {
  const closing = new AbortController()
  const reading = threadsFor(limits.reading, closing.signal)
  const encoding = threadsFor(limits.encoding, closing.signal)

  return {
    /** Throws `MessageBuildError` if the body exceeds its limits. */
    async make({ org_id, html, text, attachments }: BodyContent): Promise<Body> {
      const parts = { html, text, attachments }
      const read = text === null ? (html ?? '') : ''
      if (read.length <= atOnce.read && lengthOf(parts) <= atOnce.all) return await buildBody(parts)
      if (isNestedBeyond(read, mostNested))
        throw new MessageBuildError(`The HTML has more than ${mostNested.toLocaleString('en')} nested elements.`)
      return await (read.length > atOnce.read ? reading : encoding).run(org_id, parts)
    },
    async close() {
      closing.abort(new Error('The worker is stopping and creates no more bodies.'))
      await Promise.all([reading.close(), encoding.close()])
    },
  }
}

function threadsFor(limits: ThreadLimits, closing: AbortSignal) {
  const threads = threadPool<typeof work>(new URL('./body-thread.ts', import.meta.url), limits)
  const turns = new FairQueue(limits.threads)

  return {
    async run(orgId: string, parts: BodyParts): Promise<Body> {
      closing.throwIfAborted()
      using _ = await turns.take(orgId)
      try {
        const { bytes, ...body } = await threads.run(parts, closing)
        return { ...body, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
      } catch (error) {
        if (!(error instanceof ThreadLimitError) || error.limit === 'waiting') throw error
        turns.slow(orgId)
        throw new MessageBuildError(`The body needs too much time or memory: ${error.message}`)
      }
    },
    async close() {
      turns.giveUp(closing.reason)
      await threads.close()
    },
  }
}

const lengthOf = ({ html, text, attachments }: BodyParts): number =>
  attachments.reduce((sum, { content }) => sum + content.length, (html?.length ?? 0) + (text?.length ?? 0))
