import { RoomState } from './state.js'

/** @import * as types from './types.js' */

/**
 * Requests to the gateway, except requests for media. Throws a `RoomError` if the client does not have the permission.
 */
export class Requests extends RoomState {
  #ask

  /** @param {(message: { type: string, [field: string]: unknown }) => Promise<any>} ask */
  constructor(ask) {
    super()
    this.#ask = ask
  }

  /** @type {(participantId: string) => Promise<void>} */
  async kick(participantId) {
    await this.#ask({ type: 'kick', participantId })
  }

  /** @type {(participantId: string, kind?: types.Kind) => Promise<void>} */
  async mute(participantId, kind = 'audio') {
    await this.#ask({ type: 'mute', participantId, kind })
  }

  /** @type {(participantId: string, role: types.Role) => Promise<void>} */
  async setRole(participantId, role) {
    await this.#ask({ type: 'setRole', participantId, role })
  }

  /**
   * Sends a chat message of up to 2,000 characters to everyone, or to one participant.
   *
   * @param {string} text
   * @param {{ to?: string }} [options]
   */
  async say(text, { to } = {}) {
    await this.#ask({ type: 'chat', text, to })
  }

  /**
   * Sends a value of up to 8,192 characters of JSON to all other participants, or to one. It is not stored.
   *
   * @param {unknown} value
   * @param {{ to?: string, topic?: string }} [options]
   */
  async send(value, { to, topic } = {}) {
    await this.#ask({ type: 'data', data: JSON.stringify(value), to, topic })
  }

  /**
   * Raises or lowers the hand of this client. Hosts can lower the hand of other participants.
   *
   * @param {boolean} [raised]
   * @param {string} [participantId]
   */
  async raiseHand(raised = true, participantId) {
    await this.#ask({ type: 'hand', raised, participantId })
  }

  /** @type {(waitingId: string) => Promise<void>} */
  async admit(waitingId) {
    await this.#ask({ type: 'admit', waitingId })
  }

  /** @type {(waitingId: string) => Promise<void>} */
  async refuse(waitingId) {
    await this.#ask({ type: 'refuse', waitingId })
  }

  /** @type {(settings: Partial<types.Settings>) => Promise<void>} */
  async set(settings) {
    await this.#ask({ type: 'set', ...settings })
  }

  /** Ends the room for everyone. Only hosts can call this method. */
  async end() {
    await this.#ask({ type: 'end' })
  }
}
