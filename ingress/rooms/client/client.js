import { Room } from './room.js'

/** @import * as types from './types.js' */

export { devices } from './devices.js'
export { RoomError } from './room-error.js'

/**
 * Joins a room and returns it. Throws a `RoomError` if the token is rejected or there is no response.
 *
 * @param {types.JoinOptions} options
 */
export async function join(options) {
  const room = new Room(options)
  await room.joined
  return room
}
