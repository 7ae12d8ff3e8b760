/** Requests to the gateway other than media. Throws a `RoomError` if the client lacks the permission. */
export class Requests extends EventTarget {
  #ask

  /** `ask` sends a message and waits until it is done. */
  constructor(ask) {
    super()
    this.#ask = ask
  }

  /** For hosts: removes a participant. Their token no longer works. */
  async kick(participantId) {
    await this.#ask({ type: 'kick', participantId })
  }

  /** For hosts: mutes the `audio` or `video` of a participant. */
  async mute(participantId, kind = 'audio') {
    await this.#ask({ type: 'mute', participantId, kind })
  }

  /** For hosts: changes a participant to `host`, `participant` or `viewer`. */
  async setRole(participantId, role) {
    await this.#ask({ type: 'setRole', participantId, role })
  }

  /** Sends a chat message to everyone, or to one participant. */
  async say(text, { to } = {}) {
    await this.#ask({ type: 'chat', text, to })
  }

  /** Sends a JSON value to all other participants, or to one. */
  async send(value, { to, topic } = {}) {
    await this.#ask({ type: 'data', data: JSON.stringify(value), to, topic })
  }

  /** Raises or lowers the hand of this client. Hosts can lower the hand of other participants. */
  async raiseHand(raised = true, participantId) {
    await this.#ask({ type: 'hand', raised, participantId })
  }

  /** For hosts: admits a person who waits. */
  async admit(waitingId) {
    await this.#ask({ type: 'admit', waitingId })
  }

  /** For hosts: rejects a person who waits. Their token no longer works. */
  async refuse(waitingId) {
    await this.#ask({ type: 'refuse', waitingId })
  }

  /** For hosts: changes `chat`, `waitingRoom` or `layout`. */
  async set(settings) {
    await this.#ask({ type: 'set', ...settings })
  }

  /** For hosts: ends the room for everyone. */
  async end() {
    await this.#ask({ type: 'end' })
  }
}
