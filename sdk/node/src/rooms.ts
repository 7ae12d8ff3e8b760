import { MillraceError } from './errors.ts'
import { RoomsMethods } from './generated/areas.ts'
import type * as client from './generated/room.ts'
import type { Transport } from './transport.ts'

/** Rooms; a page joins one with nothing but the token that its server has issued. */
export class Rooms extends RoomsMethods {
  readonly #base: string

  constructor(transport: Transport) {
    super(transport)
    this.#base = transport.base
  }

  /**
   * Joins a room from a page: `rooms.join({ token })`. The module that speaks to gateways is loaded from the API, whose version
   * it has. Throws a `RoomError`, whose `code` says why, when the token is refused or nobody answers.
   */
  async join(options: client.JoinOptions): Promise<client.Room> {
    if (!('RTCPeerConnection' in globalThis)) throw new MillraceError('Rooms can be joined only in browsers.')
    const address = `${this.#base}/v1/stream/rooms/client.js`
    // Bundlers leave it to the browser.
    const { join }: typeof client = await import(/* @vite-ignore */ /* webpackIgnore: true */ address)
    return await join({ base: this.#base, ...options })
  }
}
