import { MillraceError } from './errors.ts'
import { RoomsMethods } from './generated/areas.ts'
import type * as client from './generated/room.ts'
import type { Transport } from './transport.ts'

/** Rooms. A page needs only the token from its server to join. */
export class Rooms extends RoomsMethods {
  readonly #base: string

  constructor(transport: Transport) {
    super(transport)
    this.#base = transport.base
  }

  /**
   * Joins a room from a page: `rooms.join({ token })`. Loads the gateway code from the API, so that both have the same
   * version. Throws a `RoomError` with a `code` if the token is rejected or nothing responds.
   */
  async join(options: client.JoinOptions): Promise<client.Room> {
    if (!('RTCPeerConnection' in globalThis)) throw new MillraceError('Rooms can be joined only in browsers.')
    const address = `${this.#base}/v1/stream/rooms/client.js`
    // Bundlers must leave this import to the browser.
    const { join }: typeof client = await import(/* @vite-ignore */ /* webpackIgnore: true */ address)
    return await join({ base: this.#base, ...options })
  }
}
