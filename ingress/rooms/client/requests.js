/** What is asked of the gateway beside media; who may not is told by a `RoomError`. */
export class Requests extends EventTarget {
  #ask

  /** `ask` sends a message and waits until it is done. */
  constructor(ask) {
    super()
    this.#ask = ask
  }

  /** For hosts: removes somebody; the token is dead then. */
  async kick(participantId) {
    await this.#ask({ type: 'kick', participantId })
  }

  /** For hosts: mutes somebody's `audio` or `video`. */
  async mute(participantId, kind = 'audio') {
    await this.#ask({ type: 'mute', participantId, kind })
  }

  /** For hosts: makes somebody `host`, `participant` or `viewer`. */
  async setRole(participantId, role) {
    await this.#ask({ type: 'setRole', participantId, role })
  }

  /** Writes to all, or to one. */
  async say(text, { to } = {}) {
    await this.#ask({ type: 'chat', text, to })
  }

  /** Sends a value of JSON to all others, or to one. */
  async send(value, { to, topic } = {}) {
    await this.#ask({ type: 'data', data: JSON.stringify(value), to, topic })
  }

  /** Raises or lowers this client's hand; hosts lower those of others. */
  async raiseHand(raised = true, participantId) {
    await this.#ask({ type: 'hand', raised, participantId })
  }

  /** For hosts: lets one in who waits. */
  async admit(waitingId) {
    await this.#ask({ type: 'admit', waitingId })
  }

  /** For hosts: sends one away who waits; the token is dead then. */
  async refuse(waitingId) {
    await this.#ask({ type: 'refuse', waitingId })
  }

  /** For hosts: sets `chat`, `waitingRoom` or `layout`. */
  async set(settings) {
    await this.#ask({ type: 'set', ...settings })
  }

  /** For hosts: ends the room for everybody. */
  async end() {
    await this.#ask({ type: 'end' })
  }
}
