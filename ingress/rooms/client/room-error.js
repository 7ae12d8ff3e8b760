/**
 * `code` is an error code of the API or one of these:
 *
 * - `token_invalid`, `forbidden`, `room_ended`, `room_full`, `replaced`, `kicked`, `refused`, `too_many_messages`
 * - `unavailable` (try again in a moment), `left`, `network`, `timeout`, `media_lost` (the client reconnects)
 * - `picture_too_large`: participants see the video, but a broadcast or recording does not contain it.
 * - `device_refused`, `device_missing`, `device_busy`, `device_lost`, `device_failed`: `details.source` is the device.
 */
export class RoomError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ details?: unknown, retryAfter?: number }} [facts]
   */
  constructor(code, message, { details, retryAfter } = {}) {
    super(message)
    this.name = 'RoomError'
    this.code = code
    this.details = details
    /** Time in seconds after which the client can retry, if the API returned it. */
    this.retryAfter = retryAfter
  }
}

/** Errors by close code. After these close codes, a retry cannot succeed. */
const endings = {
  4001: ['token_invalid', 'The token is invalid or has expired.'],
  4003: ['forbidden', 'This action is not allowed.'],
  4004: ['room_ended', 'The room has ended.'],
  4008: ['room_full', 'The room is full.'],
  4009: ['replaced', 'The same identity has joined from another device or browser tab.'],
  4010: ['kicked', 'A host has removed this participant.'],
  4012: ['refused', 'A host did not admit this participant.'],
  4029: ['too_many_messages', 'The client sent too many messages, or an invalid message.'],
}

/** Returns the error of a final close code, or undefined if the client can reconnect. */
export function endingOf(code) {
  const ending = endings[code]
  return ending && new RoomError(ending[0], ending[1])
}

export const isFinal = ({ code, status }) =>
  Object.values(endings).some(([known]) => known === code) || (status >= 400 && status < 500 && status !== 429)

const deviceFaults = {
  NotAllowedError: ['device_refused', 'The browser does not allow this page to use the device.'],
  SecurityError: ['device_refused', 'The browser does not allow this page to use the device.'],
  NotFoundError: ['device_missing', 'The device does not exist.'],
  OverconstrainedError: ['device_missing', 'The device does not exist.'],
  NotReadableError: ['device_busy', 'Another application is using the device.'],
  AbortError: ['device_busy', 'Another application is using the device.'],
}

export function deviceError(source, cause) {
  const [code, message] = deviceFaults[cause.name] ?? ['device_failed', cause.message]
  return Object.assign(new RoomError(code, message, { details: { source } }), { cause })
}
