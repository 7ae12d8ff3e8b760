const endings = {
  left: 'You have left the room.',
  kicked: 'A host has removed you from the room.',
  refused: 'A host did not admit you.',
  room_ended: 'The room has ended.',
  room_full: 'The room is full.',
  replaced: 'You have joined from another place.',
  token_invalid: 'This invitation is not valid.',
  token_expired: 'This invitation has expired.',
  token_revoked: 'This invitation has been withdrawn.',
  forbidden: 'This invitation no longer works.',
  not_found: 'This room does not exist.',
  too_many_messages: 'The room has closed the connection.',
  rate_limited: 'Too many requests. Please try again in a moment.',
  unavailable: 'No room can be opened right now. Please try again in a moment.',
  network: 'The room cannot be reached.',
  timeout: 'The room is not responding.',
}

const names = { microphone: 'microphone', camera: 'camera', screen: 'screen' }

const devices = {
  device_refused: (name) =>
    `The browser does not let this page use your ${name}. Allow it next to the address bar, then turn it on.`,
  device_missing: (name) => `This device has no ${name}.`,
  device_busy: (name) => `Another program uses your ${name}.`,
  device_lost: (name) => `Your ${name} was unplugged.`,
  device_failed: (name) => `Your ${name} does not work.`,
}

const troubles = {
  forbidden: 'You cannot do that in this room.',
  rate_limited: 'Too many actions at the same time. Please try again in a moment.',
  network: 'The action did not reach the room. Please try again.',
  timeout: 'The room did not respond. Please try again.',
}

export const endingWords = ({ code, status, message }) =>
  endings[code] ?? (status === 503 ? endings.unavailable : message) ?? 'The room cannot be joined right now.'

export const mayComeAgain = ({ code, status }) =>
  ['left', 'room_full', 'replaced', 'network', 'timeout', 'rate_limited', 'too_many_messages'].includes(code) ||
  status >= 500

export const troubleWords = ({ code, message, details }) =>
  devices[code]?.(names[details?.source] ?? 'device') ?? troubles[code] ?? message

export const roleWords = { host: 'Host', participant: 'Participant', viewer: 'Viewer' }
