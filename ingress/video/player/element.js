// Defines `<mill-player>`. Its parts are in a shadow root, so that page and player do not change each other's style.
import { commands } from './commands.js'
import { optionNames, sourceNames } from './options.js'
import { setStage } from './stage.js'

/** Attributes are defined in `options.js`, methods in `commands.js`. */
export class MillPlayer extends HTMLElement {
  static observedAttributes = [...sourceNames, ...optionNames]
  #stage
  #isDue = false

  constructor() {
    super()
    this.attachShadow({ mode: 'open' })
  }

  connectedCallback() {
    this.#begin()
  }

  disconnectedCallback() {
    this.#end()
  }

  attributeChangedCallback(name) {
    if (!this.#stage) return
    if (sourceNames.includes(name)) this.#beginOnce()
    else this.#stage.change(name)
  }

  /** The `<video>` element, for features without a method. `null` if the element is not in a document. */
  get video() {
    return this.shadowRoot?.querySelector('video') ?? null
  }

  /** Handles a key event that the page received instead of the player. */
  press(event) {
    this.#stage?.press(event)
  }

  command(name, value) {
    if (!this.#stage) throw new Error('The player is not in a document.')
    return commands[name](this.#stage, value)
  }

  #begin() {
    this.#end()
    this.#stage = setStage(this, this.shadowRoot)
  }

  /** Attributes are set one by one, so playback starts after all of them are set. */
  #beginOnce() {
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      if (this.isConnected) this.#begin()
    })
  }

  #end() {
    this.#stage?.end()
    this.#stage = undefined
  }
}

for (const name of Object.keys(commands)) {
  MillPlayer.prototype[name] = function (value) {
    return this.command(name, value)
  }
}

if (!customElements.get('mill-player')) customElements.define('mill-player', MillPlayer)
