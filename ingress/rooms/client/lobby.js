import { chosenDevice, offerDevices } from './choices.js'
import { capture, captureBoth } from './devices.js'

const byId = (id) => document.getElementById(id)

export class Lobby {
  tracks = new Map()
  #height
  #trouble
  #closed = false

  constructor({ height, trouble }) {
    this.#height = height
    this.#trouble = trouble
    for (const source of ['microphone', 'camera'])
      byId(`mirror-${source}`).addEventListener('click', () => this.toggle(source))
  }

  /** Requests both devices together, so that the browser shows only one prompt. */
  async open() {
    try {
      for (const [source, track] of await captureBoth(this.#options('microphone'), this.#options('camera')))
        this.#take(source, track)
    } catch {
      // If both devices together are not available, each is requested separately.
      for (const source of ['microphone', 'camera']) await this.#start(source)
    }
    await offerDevices()
  }

  async toggle(source) {
    if (this.tracks.has(source)) this.#drop(source)
    else await this.#start(source)
  }

  async change(source) {
    if (this.tracks.has(source)) await this.#start(source)
  }

  close() {
    this.#closed = true
    byId('mirror').querySelector('video').srcObject = null
    return this.tracks
  }

  #options(source) {
    return { deviceId: chosenDevice(source), height: this.#height }
  }

  async #start(source) {
    try {
      this.#take(source, await capture(source, this.#options(source)))
    } catch (error) {
      this.#trouble(error)
    }
  }

  #take(source, track) {
    if (this.#closed) return track.stop()
    this.tracks.get(source)?.stop()
    this.tracks.set(source, track)
    this.#show()
  }

  #drop(source) {
    this.tracks.get(source)?.stop()
    this.tracks.delete(source)
    this.#show()
  }

  #show() {
    for (const source of ['microphone', 'camera'])
      byId(`mirror-${source}`).setAttribute('aria-pressed', String(this.tracks.has(source)))
    const camera = this.tracks.get('camera')
    byId('mirror').querySelector('video').srcObject = camera ? new MediaStream([camera]) : null
    byId('mirror-says').hidden = Boolean(camera)
  }
}
