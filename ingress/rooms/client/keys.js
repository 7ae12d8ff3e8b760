const words = {
  M: 'Microphone',
  Space: 'Hold to speak',
  V: 'Camera',
  S: 'Share the screen',
  P: 'People',
  C: 'Chat',
  H: 'Raise or lower your hand',
  D: 'Devices and keys',
  F: 'Full screen',
}

/** True if the focused element uses the key, for example a text field, or a button with the space bar. */
const isTaken = ({ target, key, ctrlKey, metaKey, altKey, defaultPrevented }) =>
  [ctrlKey, metaKey, altKey, defaultPrevented].includes(true) ||
  /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) ||
  (key === ' ' && target.tagName === 'BUTTON')

export function bindKeys({ toggle, hold, togglePeople, toggleChat, toggleHand, toggleSetup, toggleFull }) {
  const keys = {
    m: () => toggle('microphone'),
    v: () => toggle('camera'),
    s: () => toggle('screen'),
    p: () => togglePeople(),
    c: () => toggleChat(),
    h: toggleHand,
    d: toggleSetup,
    f: toggleFull,
    ' ': () => hold(true),
    Escape: () => {
      togglePeople(false)
      toggleChat(false)
    },
  }
  document.addEventListener('keydown', (event) => {
    const { key, repeat } = event
    const name = key.length === 1 ? key.toLowerCase() : key
    if (isTaken(event) || !Object.hasOwn(keys, name)) return
    if (document.querySelector('dialog[open]')) return
    if (name !== 'Escape') event.preventDefault()
    if (!repeat) keys[name]()
  })
  document.addEventListener('keyup', (event) => event.key === ' ' && !isTaken(event) && hold(false))
  for (const [key, what] of Object.entries(words)) {
    const [term, told] = [document.createElement('dt'), document.createElement('dd')]
    term.textContent = key
    told.textContent = what
    document.querySelector('#keys dl').append(term, told)
  }
}
