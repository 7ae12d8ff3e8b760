// <mill-player>: plays a film in any page. What it is made of lies in a shadow root, so that page and player leave each other's look alone.
import { commands } from './commands.js'
import { optionNames, sourceNames } from './options.js'
import { setStage } from './stage.js'

/** The element; its attributes are those of `options.js`, its methods those of `commands.js`. */
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

  /** The video itself, for what has no method here; null while the element is in no document. */
  get video() {
    return this.shadowRoot.querySelector('video')
  }

  /** A key that the page has got in the player's stead. */
  press(event) {
    this.#stage?.press(event)
  }

  /** Does what one of the methods says; the element's methods are this with their names. */
  command(name, value) {
    if (!this.#stage) throw new Error('The player is not in a document.')
    return commands[name](this.#stage, value)
  }

  #begin() {
    this.#end()
    this.#stage = setStage(this, this.shadowRoot)
  }

  /** Attributes are set one by one: what is played begins when all are. */
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
