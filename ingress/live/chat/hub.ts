import { AsyncLocalStorage } from 'node:async_hooks'
import { z } from 'zod'
import { describe, Problem, unavailable } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import * as chats from '#sql/live/chats.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import { service } from '../../http/container.ts'
import { type EventStream, formatEvent } from '../../http/event-stream.ts'

/** Sends everything that happens in chats to the open streams of this process. Each event is formatted once. */
export interface ChatHub {
  /**
   * Adds a reader. Events are kept until `begin` is called. Throws 429 if the person has too many streams, and 503 if the
   * process has too many.
   */
  join(reader: Omit<Reader, 'stream' | 'waiting' | 'isOver'>): {
    begin(stream: EventStream, first: string): void
    leave(): void
  }
  /** Throws 429 if too many messages are written in a channel through this process. */
  countMessage(channelId: string): void
  close(): Promise<void>
}

interface Reader {
  channelId: string
  personId: string
  tokenId: string
  stream: EventStream | undefined
  waiting: string[]
  isOver: boolean
}

/** Maximum number of streams of one process, and of one person in this process. */
const [mostStreams, mostOfPerson] = [20_000, 10]

/** Maximum number of messages of a channel per second, through one process. */
const mostPerSecond = 30

const Notice = z.discriminatedUnion('e', [
  z.object({ c: Id, e: z.literal('message'), d: z.unknown() }),
  z.object({ c: Id, e: z.literal('deleted'), d: z.unknown() }),
  z.object({ c: Id, e: z.literal('state') }),
  z.object({ c: Id, e: z.literal('gone') }),
  z.object({ c: Id, e: z.literal('banned'), p: Id, d: z.unknown() }),
  z.object({ c: Id, e: z.literal('revoked'), t: Id }),
])

type Disconnection = Extract<z.infer<typeof Notice>, { e: 'banned' | 'revoked' }>

export const chatHub = service<ChatHub>({
  name: 'live.chat streams',
  open: ({ db }) => createChatHub(db),
  close: (hub) => hub.close(),
})

export async function readState(db: DatabasePool, channelId: string) {
  const [settings, opening] = await Promise.all([chats.find(db, channelId), chats.readOpening(db, channelId)])
  return {
    isOpen: opening.is_open,
    opensAt: opening.is_open || settings.opens !== 'broadcast' ? null : (opening.opens_at?.toISOString() ?? null),
    slowSeconds: settings.slow_seconds,
    maxLength: settings.max_length,
    history: settings.history,
  }
}

function createChatHub(db: DatabasePool): ChatHub {
  const all = new Map<string, Set<Reader>>()
  const ofPerson = new Map<string, number>()
  const written = new Map<string, { second: number; count: number }>()
  const outside = AsyncLocalStorage.snapshot()
  let listener: Listener | undefined
  let streams = 0

  function startListening(): void {
    if (listener) return
    listener = outside(() => listen(getSessionUrl(db), [chats.chatChannel]))
    listener.on(chats.chatChannel, hear)
    // Events of the interruption are lost. Clients reconnect and load the history again.
    listener.onReconnect(() => {
      for (const readers of all.values()) for (const reader of readers) reader.stream?.end()
    })
  }

  function hear(payload: string): void {
    // During an upgrade, a newer process can send events that this one does not know.
    const { data: notice } = Notice.safeParse(JSON.parse(payload))
    const readers = notice && all.get(notice.c)
    if (!readers) return
    if (notice.e === 'message' || notice.e === 'deleted') tell(readers, formatEvent(notice.e, notice.d))
    else if (notice.e === 'state') void outside(() => tellState(notice.c, readers))
    else if (notice.e === 'gone') for (const reader of readers) reader.stream?.end()
    else disconnect(readers, notice)
  }

  function disconnect(readers: ReadonlySet<Reader>, notice: Disconnection): void {
    const isMeant = (one: Reader) => (notice.e === 'banned' ? one.personId === notice.p : one.tokenId === notice.t)
    const text = formatEvent(notice.e, notice.e === 'banned' ? notice.d : {})
    for (const reader of readers) {
      if (!isMeant(reader)) continue
      send(reader, text)
      reader.isOver = true
      reader.stream?.end()
    }
  }

  async function tellState(channelId: string, readers: ReadonlySet<Reader>): Promise<void> {
    try {
      const { history: _, ...state } = await readState(db, channelId)
      tell(readers, formatEvent('state', state))
    } catch (error) {
      log.warn({ err: describe(error) }, 'the state of a chat could not be read')
      for (const reader of readers) reader.stream?.end()
    }
  }

  return {
    join(who) {
      const readers = all.get(who.channelId) ?? new Set()
      const others = ofPerson.get(who.personId) ?? 0
      if (others >= mostOfPerson)
        throw new Problem(429, 'rate_limited', 'The person has too many open streams.', { retryAfter: 30 })
      if (streams >= mostStreams) throw unavailable('Too many streams are open. Try again later.', 10)
      startListening()
      const reader: Reader = { ...who, stream: undefined, waiting: [], isOver: false }
      all.set(who.channelId, readers.add(reader))
      ofPerson.set(who.personId, others + 1)
      streams++
      const leave = () => {
        if (!readers.delete(reader)) return
        streams--
        const left = (ofPerson.get(who.personId) ?? 1) - 1
        if (left > 0) ofPerson.set(who.personId, left)
        else ofPerson.delete(who.personId)
        if (readers.size === 0 && all.get(who.channelId) === readers) all.delete(who.channelId)
      }
      return {
        begin(stream, first) {
          stream.onEnd(leave)
          stream.write(first)
          for (const text of reader.waiting) stream.write(text)
          reader.waiting = []
          reader.stream = stream
          if (reader.isOver) stream.end()
        },
        leave,
      }
    },
    countMessage(channelId) {
      const second = Math.floor(Date.now() / 1000)
      const known = written.get(channelId)
      const count = known?.second === second ? known.count + 1 : 1
      if (written.size > 10_000) written.clear()
      written.set(channelId, { second, count })
      if (count > mostPerSecond)
        throw new Problem(429, 'rate_limited', 'Too many messages are being written. Try again.', { retryAfter: 1 })
    },
    close: async () => await listener?.close(),
  }
}

function tell(readers: ReadonlySet<Reader>, text: string): void {
  for (const reader of readers) send(reader, text)
}

function send(reader: Reader, text: string): void {
  if (reader.stream) reader.stream.write(text)
  else reader.waiting.push(text)
}
