const endings = {
  left: 'You have left the room.',
  kicked: 'A host has removed you from the room.',
  refused: 'A host has not let you in.',
  room_ended: 'The room has ended.',
  room_full: 'The room is full.',
  replaced: 'You have joined from somewhere else.',
  token_invalid: 'This invitation is not valid.',
  token_expired: 'This invitation has expired.',
  token_revoked: 'This invitation has been withdrawn.',
  forbidden: 'This invitation does not open the room any more.',
  not_found: 'This room is not here.',
  too_many_messages: 'The room has closed the connection.',
  rate_limited: 'Too many requests. Please try again in a moment.',
  unavailable: 'No room can be opened right now. Please try again in a moment.',
  network: 'The room cannot be reached.',
  timeout: 'The room does not answer.',
}

const names = { microphone: 'microphone', camera: 'camera', screen: 'screen' }

const devices = {
  device_refused: (name) =>
    `The browser does not let this page use your ${name}. Allow it beside the address, then switch it on.`,
  device_missing: (name) => `There is no ${name} on this machine.`,
  device_busy: (name) => `Your ${name} is used by another program.`,
  device_lost: (name) => `Your ${name} was unplugged.`,
  device_failed: (name) => `Your ${name} does not work.`,
}

const troubles = {
  forbidden: 'You may not do that here.',
  rate_limited: 'That was too much at once. Please try again in a moment.',
  network: 'That did not reach the room. Please try again.',
  timeout: 'The room has not answered. Please try again.',
}

/** Why one is no longer in the room, or does not come in. */
export const endingWords = ({ code, status, message }) =>
  endings[code] ?? (status === 503 ? endings.unavailable : message) ?? 'The room cannot be joined right now.'

/** Whether coming again with the same invitation may work. */
export const mayComeAgain = ({ code, status }) =>
  ['left', 'room_full', 'replaced', 'network', 'timeout', 'rate_limited', 'too_many_messages'].includes(code) ||
  status >= 500

/** What went wrong while one goes on. */
export const troubleWords = ({ code, message, details }) =>
  devices[code]?.(names[details?.source] ?? 'device') ?? troubles[code] ?? message

/** Roles as people read them. */
export const roleWords = { host: 'Host', participant: 'Participant', viewer: 'Viewer' }
