import { newId } from '#lib/ids.ts'
import { Bucket } from './bucket.ts'
import type { Member } from './member.ts'
import type { ChatMessage, MessageOf, ServerMessage } from './messages.ts'
import { RefusalError } from './refusal.ts'

const kept = 50

const [perSecond, atOnce] = [10, 30]

/**
 * Maximum number of forwarded bytes, counted once per recipient. Limits of one member and of the whole room, per second
 * and in a burst.
 */
const [memberBytes, roomBytes] = [1024 ** 2, 8 * 1024 ** 2]

interface TalkingRoom {
  members: ReadonlyMap<string, Member>
  tell(message: ServerMessage, except?: Member): void
}

export class Chat {
  readonly #room: TalkingRoom
  readonly #history: ChatMessage[] = []
  readonly #all = new Bucket(roomBytes, 2 * roomBytes)
  /** Entries by connection. An entry is removed with its connection. */
  readonly #spent = new WeakMap<Member, { messages: Bucket; bytes: Bucket }>()

  constructor(room: TalkingRoom) {
    this.#room = room
  }

  get history(): readonly ChatMessage[] {
    return this.#history
  }

  hear(member: Member, message: MessageOf<'chat'> | MessageOf<'data'>): void {
    if (!member.can.chat) throw new RefusalError('forbidden', 'You cannot write in this room.')
    const other = message.to === undefined ? undefined : this.#room.members.get(message.to)
    if (message.to !== undefined && !other)
      throw new RefusalError('not_found', 'to: no such participant is in the room.')
    this.#spend(member, JSON.stringify(message).length * (other ? 1 : this.#room.members.size))
    const { to } = message
    if (message.type === 'data') {
      const { topic, data } = message
      const told: ServerMessage = { type: 'data', from: member.id, to, topic, data }
      if (other) other.socket.send(told)
      else this.#room.tell(told, member)
    } else {
      const { display_name: name } = member.row
      const at = new Date().toISOString()
      const said: ChatMessage = { messageId: newId(), from: member.id, name, to, text: message.text, at }
      this.#bring(member, other, said)
    }
    member.socket.send({ type: 'done', id: message.id })
  }

  #bring(member: Member, other: Member | undefined, said: ChatMessage): void {
    const told: ServerMessage = { type: 'chat', ...said }
    if (other) {
      other.socket.send(told)
      if (other !== member) member.socket.send(told)
      return
    }
    this.#history.push(said)
    if (this.#history.length > kept) this.#history.shift()
    this.#room.tell(told)
  }

  #spend(member: Member, bytes: number): void {
    const own = this.#spent.get(member) ?? {
      messages: new Bucket(perSecond, atOnce),
      bytes: new Bucket(memberBytes, 2 * memberBytes),
    }
    this.#spent.set(member, own)
    if (!own.messages.has(1) || !own.bytes.has(bytes) || !this.#all.has(bytes))
      throw new RefusalError('rate_limited', 'You are sending too much in a short time. Try again in a moment.')
    own.messages.spend(1)
    own.bytes.spend(bytes)
    this.#all.spend(bytes)
  }
}
