import { chosenDevice } from './choices.js'

const byId = (id) => document.getElementById(id)
const sources = ['microphone', 'camera', 'screen']

/**
 * Connects the control buttons. `act` runs an action and reports its errors. Returns the functions for keyboard
 * shortcuts, and `show`.
 */
export function bindBar(room, { act, height }) {
  const isOn = (source) => room.local.has(source) && !room.local.get(source).muted
  const options = (source) => ({ deviceId: source === 'screen' ? undefined : chosenDevice(source), height })

  async function switchOn(source) {
    // If the microphone is muted, it is unmuted and its device does not change.
    if (source === 'microphone' && room.local.has(source)) await room.setMuted(source, false)
    else await room.start(source, options(source))
  }
  const switchOff = (source) => (source === 'screen' ? room.stop(source) : room.setMuted(source, true))
  const toggle = (source) => act(() => (isOn(source) ? switchOff(source) : switchOn(source)))
  const hold = (is) => room.local.has('microphone') && isOn('microphone') !== is && toggle('microphone')

  function togglePeople(open = byId('people').hidden) {
    byId('people').hidden = !open
    byId('show-people').setAttribute('aria-expanded', String(open))
    if (!open) return
    byId('chat').hidden = true
    byId('show-chat').setAttribute('aria-expanded', 'false')
  }
  const toggleSetup = () => (byId('setup').open ? byId('setup').close() : byId('setup').showModal())
  const toggleHand = () => act(() => room.raiseHand(!room.self.hand))
  const toggleFull = () =>
    document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen().catch(() => {})

  for (const source of sources) byId(source).addEventListener('click', () => toggle(source))
  byId('show-people').addEventListener('click', () => togglePeople())
  byId('show-setup').addEventListener('click', toggleSetup)
  byId('hand').addEventListener('click', toggleHand)
  byId('full').addEventListener('click', toggleFull)
  byId('full').hidden = !document.fullscreenEnabled
  byId('leave').addEventListener('click', () => room.leave())
  byId('end').addEventListener('click', () => byId('sure').showModal())
  byId('sure').addEventListener('close', () => {
    if (byId('sure').returnValue === 'yes') act(() => room.end())
  })

  return {
    toggle,
    hold,
    togglePeople,
    toggleHand,
    toggleSetup,
    toggleFull,
    change: (source) => isOn(source) && act(() => room.start(source, options(source))),
    show() {
      const { publish, moderate } = room.self.can
      for (const source of sources) {
        byId(source).setAttribute('aria-pressed', String(isOn(source)))
        byId(source).hidden = !publish || (source === 'screen' && !navigator.mediaDevices?.getDisplayMedia)
      }
      byId('hand').setAttribute('aria-pressed', String(Boolean(room.self.hand)))
      byId('end').hidden = !moderate
    },
  }
}
