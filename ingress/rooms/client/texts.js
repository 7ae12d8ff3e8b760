import { RoomError } from './room-error.js'

/** The room that a token is of. */
export function roomOf(token) {
  try {
    const text = atob(token.split('.')[0].replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(text).room
  } catch {
    throw new RoomError('token_invalid', 'The token is not one of a room.')
  }
}

/** What was sent as JSON; clients of another kind may send any text. */
export function jsonOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
