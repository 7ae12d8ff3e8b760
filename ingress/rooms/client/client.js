import { Room } from './room.js'

export { devices } from './devices.js'
export { RoomError } from './room-error.js'

/**
 * Joins a room and returns it. Options: `{ token, roomId, base, signal, onWaiting }`. `base` is the origin of the API,
 * by default the origin that served this file. `onWaiting` is called if a host must admit this client first. Throws a
 * `RoomError` if the token is rejected or there is no response.
 */
export async function join(options) {
  const room = new Room(options)
  await room.joined
  return room
}
