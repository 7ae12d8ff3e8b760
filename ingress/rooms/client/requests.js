/**
 * Requests to the gateway, except requests for media. Throws a `RoomError` if the client does not have the permission.
 */
export class Requests extends EventTarget {
  #ask

  constructor(ask) {
    super()
    this.#ask = ask
  }

  async kick(participantId) {
    await this.#ask({ type: 'kick', participantId })
  }

  async mute(participantId, kind = 'audio') {
    await this.#ask({ type: 'mute', participantId, kind })
  }

  async setRole(participantId, role) {
    await this.#ask({ type: 'setRole', participantId, role })
  }

  async say(text, { to } = {}) {
    await this.#ask({ type: 'chat', text, to })
  }

  async send(value, { to, topic } = {}) {
    await this.#ask({ type: 'data', data: JSON.stringify(value), to, topic })
  }

  async raiseHand(raised = true, participantId) {
    await this.#ask({ type: 'hand', raised, participantId })
  }

  async admit(waitingId) {
    await this.#ask({ type: 'admit', waitingId })
  }

  async refuse(waitingId) {
    await this.#ask({ type: 'refuse', waitingId })
  }

  async set(settings) {
    await this.#ask({ type: 'set', ...settings })
  }

  async end() {
    await this.#ask({ type: 'end' })
  }
}
