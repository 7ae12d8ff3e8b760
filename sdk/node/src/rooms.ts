import { MillraceError } from './errors.ts'
import { RoomsMethods } from './generated/areas.ts'
import type * as client from './generated/room.ts'
import type { Transport } from './transport.ts'

/** Methods for rooms. To join a room, a web page needs only the token from its server. */
export class Rooms extends RoomsMethods {
  readonly #base: string

  constructor(transport: Transport) {
    super(transport)
    this.#base = transport.base
  }

  /**
   * Joins a room from a web page: `rooms.join({ token })`. Loads the gateway code from the API, so that both have the
   * same version. Throws a `RoomError` with a `code` if the token is rejected or the API is not responding.
   */
  async join(options: client.JoinOptions): Promise<client.Room> {
    if (!('RTCPeerConnection' in globalThis)) throw new MillraceError('Rooms can be joined only in browsers.')
    const address = `${this.#base}/v1/stream/rooms/client.js`
    // Bundlers must not resolve this import, because the browser loads it.
    const { join }: typeof client = await import(/* @vite-ignore */ /* webpackIgnore: true */ address)
    return await join({ base: this.#base, ...options })
  }
}
