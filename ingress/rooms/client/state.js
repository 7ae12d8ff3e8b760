/** @import * as types from './types.js' */

/** State of a room. Each change sends an event. */
export class RoomState extends /** @type {new () => types.RoomEventTarget} */ (EventTarget) {
  /** @type {types.State} */
  state = 'connecting'
  /** @type {types.RoomInfo} */
  info
  /** @type {types.LocalParticipant} */
  self
  /**
   * The other participants, by `participantId`.
   *
   * @type {Map<string, types.Participant>}
   */
  participants = new Map()
  /**
   * Received tracks, by `participantId` and then by source.
   *
   * @type {Map<string, Map<types.Source, MediaStreamTrack>>}
   */
  media = new Map()
  air = { broadcast: false, recording: false }
  /** @type {types.Settings} */
  settings = { chat: 'all', waitingRoom: false, layout: 'grid' }
  /**
   * The last messages to everyone or to this client.
   *
   * @type {types.ChatMessage[]}
   */
  chat = []
  /**
   * For hosts: people who wait to be admitted.
   *
   * @type {types.Waiting[]}
   */
  waiting = []
}
