import { ThreadLimit, type ThreadLimits, threadPool } from '#lib/threads.ts'
import { type Body, buildBody, type Said } from './body.ts'
import type { work } from './body-thread.ts'

/** A body can't be made, whoever tries: what is said is too costly to be read. */
export class Unmade extends Error {
  override name = 'Unmade'
}

/** Characters that are made into a body at once, as that takes milliseconds whatever they say: of HTML to be read as text, and of all. */
const atOnce = { read: 32_768, all: 131_072 }

/** Elements within each other: reading HTML as text takes squares of it. */
const mostNested = 10_000

const usual: ThreadLimits = { threads: 2, seconds: 10, megabytes: 256, waiting: 10_000 }

/** Makes the bodies of messages: small ones at once, all others in threads, so that none holds up who works beside. */
export function createBodyMaker(limits: ThreadLimits = usual) {
  const threads = threadPool<typeof work>(new URL('./body-thread.ts', import.meta.url), limits)

  async function inThread(said: Said): Promise<Body> {
    try {
      const { bytes, ...body } = await threads.run(said)
      return { ...body, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
    } catch (error) {
      if (!(error instanceof ThreadLimit) || error.limit === 'waiting') throw error
      throw new Unmade(`Its body is too costly to make: ${error.message}`)
    }
  }

  return {
    /** Makes a body; throws `Unmade` when it takes more than it may. */
    async make({ html, text, attachments }: Said): Promise<Body> {
      const said = { html, text, attachments }
      const read = text === null ? (html ?? '') : ''
      if (read.length <= atOnce.read && lengthOf(said) <= atOnce.all) return await buildBody(said)
      if (isNestedBeyond(read, mostNested))
        throw new Unmade(`Its HTML has more than ${mostNested.toLocaleString('en')} elements within each other.`)
      return await inThread(said)
    },
    close: () => threads.close(),
  }
}

/** Makes the bodies of messages. */
export type BodyMaker = ReturnType<typeof createBodyMaker>

const lengthOf = ({ html, text, attachments }: Said): number =>
  attachments.reduce((sum, { content }) => sum + content.length, (html?.length ?? 0) + (text?.length ?? 0))

/** Elements that have no end, and those that end where the next of their kind begins. */
const flat = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li td th tr thead tbody tfoot colgroup option optgroup dt dd rp rt'
  ).split(' '),
)

/** Whether more elements are open at one place than `most`, by one pass over the tags. */
export function isNestedBeyond(html: string, most: number): boolean {
  let open = 0
  for (const [, end, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (flat.has(name.toLowerCase())) continue
    open = end ? Math.max(0, open - 1) : open + 1
    if (open > most) return true
  }
  return false
}
