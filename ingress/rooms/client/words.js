const endings = {
  left: 'You have left the room.',
  kicked: 'A host has removed you from the room.',
  refused: 'A host did not admit you.',
  room_ended: 'The room has ended.',
  room_full: 'The room is full.',
  replaced: 'You have joined from another device or browser tab.',
  token_invalid: 'This invitation is not valid.',
  token_expired: 'This invitation has expired.',
  token_revoked: 'This invitation has been withdrawn.',
  forbidden: 'This invitation no longer works.',
  not_found: 'This room does not exist.',
  too_many_messages: 'The room has closed the connection.',
  rate_limited: 'Too many requests. Please try again in a moment.',
  unavailable: 'Rooms are temporarily unavailable. Please try again in a moment.',
  network: 'The room is unreachable.',
  timeout: 'The room is not responding.',
}

const names = { microphone: 'microphone', camera: 'camera', screen: 'screen' }

const devices = {
  device_refused: (name) =>
    `The browser does not allow this page to use your ${name}. Allow access in the browser’s address bar, then turn it on.`,
  device_missing: (name) => `This device has no ${name}.`,
  device_busy: (name) => `Another application is using your ${name}.`,
  device_lost: (name) => `Your ${name} was disconnected.`,
  device_failed: (name) => `Your ${name} does not work.`,
}

const troubles = {
  forbidden: 'You do not have permission to do that in this room.',
  rate_limited: 'Too many actions at the same time. Please try again in a moment.',
  network: 'The action did not reach the room. Please try again.',
  timeout: 'The room did not respond. Please try again.',
}

export const endingWords = ({ code, status, message }) =>
  endings[code] ?? (status === 503 ? endings.unavailable : message) ?? 'You cannot join this room right now.'

export const mayComeAgain = ({ code, status }) =>
  ['left', 'room_full', 'replaced', 'network', 'timeout', 'rate_limited', 'too_many_messages'].includes(code) ||
  status >= 500

/** Returns what to do if joining again is not possible. */
export const nextWords = ({ code }) =>
  ['token_invalid', 'token_expired', 'token_revoked', 'forbidden'].includes(code)
    ? 'Ask the host for a new link.'
    : 'You can close this page.'

export const troubleWords = ({ code, message, details }) =>
  devices[code]?.(names[details?.source] ?? 'device') ?? troubles[code] ?? message

export const roleWords = { host: 'Host', participant: 'Participant', viewer: 'Viewer' }
