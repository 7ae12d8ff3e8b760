import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, Problem, unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { getPersonName, inboxChannel, type Person } from '#sql/notify/users.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import { service } from '../http/container.ts'
import type { EventStream } from '../http/event-stream.ts'
import { formatEvents, type InboxChanges, readChanges } from './inbox-changes.ts'

/** Sends new changes to the streams of inboxes. Changes are read once for all streams of a person. */
export interface InboxStreams {
  /**
   * Opens a stream whose client has received the changes up to `after`. If it is undefined, the stream starts with new
   * changes. Throws 429 if the person has too many streams, and 503 if the process has too many.
   */
  join(
    who: Person & { subject: string; productKey: string | undefined },
    after: number | undefined,
    open: () => EventStream,
  ): void
  close(): Promise<void>
}

interface Follower {
  stream: EventStream
  subject: string
  productKey: string | undefined
  after: number | undefined
  greeted: boolean
}

interface PersonStreams {
  person: Person
  followers: Set<Follower>
  reading: boolean
  /** True if there was a change or a new stream since the last read. */
  stale: boolean
}

/** Maximum number of streams of one process, and of one person in this process. */
const [mostStreams, mostOfPerson] = [20_000, 50]

const retryMs = 1_000

export const inboxStreams = service<InboxStreams>({
  name: 'notify.inbox streams',
  open: ({ db }) => createInboxStreams(db),
  close: (streams) => streams.close(),
})

function createInboxStreams(db: DatabasePool): InboxStreams {
  const all = new Map<string, PersonStreams>()
  let listener: Listener | undefined
  let streams = 0
  // A read serves many requests, so it runs outside the log context of a single request.
  const outside = AsyncLocalStorage.snapshot()

  function wake(following: PersonStreams | undefined): void {
    if (!following) return
    following.stale = true
    if (!following.reading) outside(() => void follow(following))
  }

  async function follow(following: PersonStreams): Promise<void> {
    following.reading = true
    while (following.stale && following.followers.size > 0) {
      following.stale = false
      try {
        deliver(following, await readChanges(db, following.person, earliest(following)))
      } catch (error) {
        log.debug({ err: describe(error) }, 'could not read an inbox')
        setTimeout(() => wake(following), retryMs).unref()
        break
      }
    }
    following.reading = false
  }

  /** Opens the listener with the first stream. When it starts listening, earlier changes are read. */
  function startListening(): void {
    if (listener) return
    listener = listen(getSessionUrl(db), [inboxChannel])
    listener.on(inboxChannel, (name) => wake(all.get(name)))
    listener.onConnect(() => {
      for (const following of all.values()) wake(following)
    })
  }

  return {
    join({ subject, productKey, ...person }, after, open) {
      const name = getPersonName(person)
      if ((all.get(name)?.followers.size ?? 0) >= mostOfPerson) {
        throw new Problem(429, 'rate_limited', 'The person has too many open streams.', { retryAfter: 30 })
      }
      if (streams >= mostStreams) throw unavailable('Too many streams are open. Try again later.', 10)
      startListening()
      const stream = open()
      streams++
      const following = all.get(name) ?? { person, followers: new Set(), reading: false, stale: false }
      const follower: Follower = { stream, subject, productKey, after, greeted: false }
      all.set(name, following)
      following.followers.add(follower)
      stream.onEnd(() => {
        streams--
        following.followers.delete(follower)
        if (following.followers.size === 0 && all.get(name) === following) all.delete(name)
      })
      wake(following)
    },
    close: async () => await listener?.close(),
  }
}

/** Returns the lowest position among the person’s streams. Ignores streams without a position. */
function earliest({ followers }: PersonStreams): number | undefined {
  const seen = [...followers].flatMap(({ after }) => (after === undefined ? [] : [after]))
  return seen.length === 0 ? undefined : Math.min(...seen)
}

function deliver({ followers }: PersonStreams, changes: InboxChanges): void {
  for (const follower of followers) {
    const { stream, subject, productKey, after, greeted } = follower
    // If a stream joined after this read, the next read handles it.
    if (after !== undefined && after < changes.asked) continue
    const text = formatEvents(changes, { subject, productKey, after: after ?? changes.upTo, greeted })
    Object.assign(follower, { after: changes.upTo, greeted: true })
    if (text !== '') stream.write(text)
  }
}
