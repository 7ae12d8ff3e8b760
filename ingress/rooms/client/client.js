import { Room } from './room.js'

export { devices } from './devices.js'
export { RoomError } from './room-error.js'

/**
 * Joins a room with a token and returns it once it is joined: `{ roomId, token, base, signal }`, `base` being the origin of
 * the API, by default the one that served this file. Throws a `RoomError` when the token is refused or nobody answers.
 */
export async function join(options) {
  const room = new Room(options)
  await room.joined
  return room
}
