import type { VideoRoom } from '../janus/video-room.ts'
import type { Member } from './member.ts'

interface ComparedRoom {
  members: ReadonlyMap<string, Member>
  putOut(member: Member, code: 'goingAway', reason: 'media_server_lost'): void
  save(member: Member): Promise<void>
}

export class Reconciler {
  readonly #room: ComparedRoom
  /**
   * Results of the last comparison: unknown feeds and feeds that published. A feed that starts or ends is unknown for a
   * moment.
   */
  #strange: ReadonlySet<string> = new Set()
  #published: ReadonlySet<string> = new Set()

  constructor(room: ComparedRoom) {
    this.#room = room
  }

  /** Compares the publishers. A member who lost their feed must reconnect. A feed without a member is ended. */
  async compare(media: VideoRoom): Promise<void> {
    const feeds = await media.list()
    for (const member of this.#room.members.values()) {
      const { feed, tracks } = member.publisher
      if (feed !== undefined && tracks.length > 0 && this.#published.has(feed) && feeds.get(feed) !== true)
        this.#room.putOut(member, 'goingAway', 'media_server_lost')
      else if (member.unsaved) await this.#room.save(member)
      member.subscriber.follow()
    }
    const known = new Set([...this.#room.members.values()].map(({ publisher }) => publisher.feed))
    const strange = [...feeds.keys()].filter((feed) => !known.has(feed))
    for (const feed of strange) if (this.#strange.has(feed)) await media.kick(feed).catch(() => {})
    this.#strange = new Set(strange)
    this.#published = new Set([...feeds].flatMap(([feed, publishes]) => (publishes ? [feed] : [])))
  }
}
