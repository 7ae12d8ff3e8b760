import type { Relay } from './relay.ts'

/** What viewers watch over WebRTC: a WHIP publisher, or the frames of an encoder. */
export interface Watched {
  readonly facts: { channelId: string }
  /** Undefined while no media arrives yet, and after the end. */
  readonly relay: Relay | undefined
  readonly hasAudio: boolean
  /** Requests a key frame for a new viewer, if the source can be asked. */
  wishKeyFrame(): void
}
