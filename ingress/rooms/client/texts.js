import { RoomError } from './room-error.js'

/** The room that a token is of. */
export function roomOf(token) {
  try {
    const text = atob(token.split('.')[0].replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(text).room
  } catch {
    throw new RoomError('token_invalid', 'The token is not a room token.')
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

/** Messages of the chat that are kept. */
const mostChat = 200

/** The last of a chat with more of it, each message once: what was written while a client was away is known by one of both. */
export function withTexts(chat, more) {
  const known = new Set(chat.map(({ messageId }) => messageId))
  return [...chat, ...more.filter(({ messageId }) => !known.has(messageId))].slice(-mostChat)
}
