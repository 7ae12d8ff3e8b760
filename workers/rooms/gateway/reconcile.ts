import type { VideoRoom } from '../janus/video-room.ts'
import type { Member } from './member.ts'

/** The room that is compared with the media server. */
interface ComparedRoom {
  members: ReadonlyMap<string, Member>
  putOut(member: Member, code: 'goingAway', reason: 'media_server_lost'): void
  save(member: Member): Promise<void>
}

/** Makes a room and the media server agree on who publishes. */
export class Reconciler {
  readonly #room: ComparedRoom
  /** Feeds of the last comparison: those that nobody here knew, as one that comes or goes is not known for a moment; those that published. */
  #strange: ReadonlySet<string> = new Set()
  #published: ReadonlySet<string> = new Set()

  constructor(room: ComparedRoom) {
    this.#room = room
  }

  /** Compares them: who has lost their feed has to come back, and a feed that is nobody's is ended. */
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
