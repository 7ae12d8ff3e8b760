import { devices } from './client.js'

const place = 'millrace.room.devices'
const fields = ['microphone', 'camera', 'speaker']
const selectOf = (name) => document.querySelector(`select[name=${name}]`)

/** In a frame from another site, storage may be unavailable. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(place) ?? '{}')
  } catch {
    return {}
  }
}

function remember(chosen) {
  try {
    localStorage.setItem(place, JSON.stringify(chosen))
  } catch {
    // If storage is unavailable, users must select the device again next time.
  }
}

const chosen = remembered()

export const chosenDevice = (name) => selectOf(name).value || undefined

export async function offerDevices() {
  const found = await devices()
  for (const name of fields) {
    const select = selectOf(name)
    const known = found[name].filter(({ label }) => label)
    const options = known.map(({ deviceId, label }) => new Option(label, deviceId))
    const wanted = select.value || chosen[name]
    select.replaceChildren(...(options.length > 0 ? options : [new Option(`The default ${name}`, '')]))
    if (known.some(({ deviceId }) => deviceId === wanted)) select.value = wanted
    select.disabled = options.length === 0
  }
  const canChooseSpeaker = 'setSinkId' in HTMLMediaElement.prototype && found.speaker.length > 0
  document.getElementById('choose-speaker').hidden = !canChooseSpeaker
}

/** Calls `changed(name)` when the user selects another device, and stores the selection. */
export function watchChoices(changed) {
  for (const name of fields)
    selectOf(name).addEventListener('change', () => {
      chosen[name] = selectOf(name).value
      remember(chosen)
      changed(name)
    })
  navigator.mediaDevices?.addEventListener('devicechange', offerDevices)
}

export const moveChoices = (id) => document.getElementById(id).append(document.getElementById('choices'))

export async function toSpeaker(element) {
  const id = chosenDevice('speaker')
  if (id && element.setSinkId && element.sinkId !== id) await element.setSinkId(id).catch(() => {})
}
