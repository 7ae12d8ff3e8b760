import { Html, html } from '../../http/html/html.ts'

/** Icons as SVG paths of 24 × 24 units. */
const paths = {
  microphone: 'M12 4a3 3 0 0 1 3 3v4a3 3 0 0 1-6 0V7a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v3',
  microphoneOff:
    'M9 9v2a3 3 0 0 0 4.5 2.6M15 11V7a3 3 0 0 0-5.6-1.5M6 11a6 6 0 0 0 9 5.2M18 11a6 6 0 0 1-.6 2.6M12 17v3M4 4l16 16',
  camera: 'M4 7h10v10H4zM14 10.5l6-3v9l-6-3z',
  cameraOff: 'M7 7h7v7M14 17H4V7M14 10.5l6-3v9l-3-1.5M4 4l16 16',
  screen: 'M3.5 5h17v11h-17zM9 20h6M12 13.5v-6M9.5 10 12 7.5l2.5 2.5',
  people:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3.5 19a5.5 5.5 0 0 1 11 0M16 11.5a2.5 2.5 0 1 0-1-4.8M17 14.2a4.5 4.5 0 0 1 3.5 4.8',
  hand: 'M8 12V6.5a1.5 1.5 0 0 1 3 0V11M11 11V4.5a1.5 1.5 0 0 1 3 0V11M14 11V6a1.5 1.5 0 0 1 3 0v8a6 6 0 0 1-6 6c-2.5 0-4-1-5.2-3.2L4 13.4a1.4 1.4 0 0 1 2.4-1.4L8 14',
  chat: 'M4 5h16v11H10l-4 3.5V16H4zM8 9h8M8 12h5',
  setup: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 0 0-4 0zM7 17a2 2 0 1 0 4 0 2 2 0 0 0-4 0z',
  full: 'M5 9V5h4M15 5h4v4M19 15v4h-4M9 19H5v-4',
  leave: 'M4 14.5v-2.2C9 9 15 9 20 12.3v2.2l-4 .8-1-2.8c-2-.5-4-.5-6 0l-1 2.8z',
  close: 'M6 6l12 12M18 6L6 18',
} as const

export const icon = (name: keyof typeof paths): Html =>
  new Html(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${paths[name]}"/></svg>`)

const pair = (name: 'microphone' | 'camera') =>
  html`<span class="when-on">${icon(name)}</span><span class="when-off">${icon(`${name}Off`)}</span>`

const toggle = (id: string, label: string, key: string, picture: Html) =>
  html`<button type="button" id="${id}" class="round" aria-pressed="false" aria-label="${label}" title="${label} (${key})" aria-keyshortcuts="${key}">${picture}</button>`

const plain = (id: string, label: string, key: string, picture: Html, style = '') =>
  html`<button type="button" id="${id}" class="round ${style}" aria-label="${label}" title="${label}${key && ` (${key})`}"${key && html` aria-keyshortcuts="${key}"`}>${picture}</button>`

export const lobbyToggles = html`${toggle('mirror-microphone', 'Microphone', 'M', pair('microphone'))}
${toggle('mirror-camera', 'Camera', 'V', pair('camera'))}`

const choice = (id: string, label: string) =>
  html`<label id="choose-${id}">${label}<select name="${id}"></select></label>`

export const deviceChoices = html`${choice('microphone', 'Microphone')}
${choice('camera', 'Camera')}
${choice('speaker', 'Speaker')}`

export const controlBar = html`<div id="bar" role="toolbar" aria-label="Controls">
${toggle('microphone', 'Microphone', 'M', pair('microphone'))}
${toggle('camera', 'Camera', 'V', pair('camera'))}
${toggle('screen', 'Share the screen', 'S', icon('screen'))}
<button type="button" id="show-people" class="round" aria-label="People" title="People (P)" aria-keyshortcuts="P" aria-expanded="false" aria-controls="people">${icon('people')}<span id="count" aria-hidden="true"></span></button>
<button type="button" id="show-chat" class="round" aria-label="Chat" title="Chat (C)" aria-keyshortcuts="C" aria-expanded="false" aria-controls="chat">${icon('chat')}<span id="unread" aria-hidden="true" hidden></span></button>
${toggle('hand', 'Raise your hand', 'H', icon('hand'))}
${plain('show-setup', 'Devices and keys', 'D', icon('setup'))}
${plain('full', 'Full screen', 'F', icon('full'))}
${plain('leave', 'Leave', '', icon('leave'), 'danger')}
</div>`
