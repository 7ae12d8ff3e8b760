/** What went wrong: `code` is the API's, the gateway's, a device's, or `network` when nothing answered. */
export class RoomError extends Error {
  constructor(code, message, { details, retryAfter } = {}) {
    super(message)
    this.name = 'RoomError'
    this.code = code
    this.details = details
    /** Seconds, when the API has said when to come again. */
    this.retryAfter = retryAfter
  }
}

/** What a gateway says by closing, of that which another try does not change. */
const endings = {
  4001: ['token_invalid', 'The token is invalid or has expired.'],
  4003: ['forbidden', 'This is not allowed.'],
  4004: ['room_ended', 'The room has ended.'],
  4008: ['room_full', 'The room is full.'],
  4009: ['replaced', 'The same identity has joined from another place.'],
  4010: ['kicked', 'A host has removed this participant.'],
  4012: ['refused', 'A host did not admit this participant.'],
  4029: ['too_many_messages', 'The client sent too many messages, or an invalid message.'],
}

/** The error of a close code that is an ending; undefined for one after which to connect again. */
export function endingOf(code) {
  const ending = endings[code]
  return ending && new RoomError(...ending)
}

/** Whether coming again is of no use. */
export const isFinal = ({ code, status }) =>
  Object.values(endings).some(([known]) => known === code) || (status >= 400 && status < 500 && status !== 429)

const deviceFaults = {
  NotAllowedError: ['device_refused', 'The browser does not allow this page to use the device.'],
  SecurityError: ['device_refused', 'The browser does not allow this page to use the device.'],
  NotFoundError: ['device_missing', 'The device does not exist.'],
  OverconstrainedError: ['device_missing', 'The device does not exist.'],
  NotReadableError: ['device_busy', 'Another program uses the device.'],
  AbortError: ['device_busy', 'Another program uses the device.'],
}

/** The error of a device that a browser does not give. */
export function deviceError(source, cause) {
  const [code, message] = deviceFaults[cause.name] ?? ['device_failed', cause.message]
  return Object.assign(new RoomError(code, message, { details: { source } }), { cause })
}
