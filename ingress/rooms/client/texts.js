import { RoomError } from './room-error.js'

export function roomOf(token) {
  try {
    const text = atob(token.split('.')[0].replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(text).room
  } catch {
    throw new RoomError('token_invalid', 'The token is not a room token.')
  }
}

export function jsonOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const mostChat = 200

/**
 * Merges two lists of chat messages without duplicates. After a lost connection, each list can contain messages that
 * are missing from the other.
 */
export function withTexts(chat, more) {
  const known = new Set(chat.map(({ messageId }) => messageId))
  return [...chat, ...more.filter(({ messageId }) => !known.has(messageId))].slice(-mostChat)
}
