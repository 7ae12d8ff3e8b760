import { Room } from './room.js'

export { devices } from './devices.js'
export { RoomError } from './room-error.js'

/**
 * Joins a room with a token and returns it once it is joined: `{ token, roomId, base, signal, onWaiting }`, `base` being the origin
 * of the API, by default the one that served this file; `onWaiting` is called when a host has to let this client in first. Throws a `RoomError` when the token is refused or nobody answers.
 */
export async function join(options) {
  const room = new Room(options)
  await room.joined
  return room
}
