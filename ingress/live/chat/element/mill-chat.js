import { createFeed } from './feed.js'
import { createView } from './view.js'

/**
 * `src` is the `url` of a chat token. Attribute: `theme` (`light`, `dark`, `auto`). Events: `message` (the message),
 * `clip` (the new asset), `end` (`reason`: `banned`, `revoked` or `refused`; the page can set a new `src`).
 */
export class MillChat extends HTMLElement {
  static observedAttributes = ['src']

  #view = createView(this, {
    write: (text) => this.#try(() => this.#feed.write(text)),
    remove: (message) => this.#try(() => this.#feed.remove(message.messageId)),
    ban: (message) => this.#try(() => this.#feed.ban(message.personId)),
    clip: () => this.#try(() => this.#clip()),
  })
  #feed = createFeed({
    changed: (feed) => this.#view.show(feed),
    message: (message) => this.#tell('message', message),
    ended: (reason) => this.#tell('end', { reason }),
  })

  connectedCallback() {
    this.#start()
  }

  disconnectedCallback() {
    this.#feed.close()
  }

  attributeChangedCallback(_, before, now) {
    if (this.isConnected && before !== now) this.#start()
  }

  #start() {
    const url = this.getAttribute('src')
    if (url) this.#feed.open(url)
  }

  async #clip() {
    const made = await this.#feed.clip()
    this.#view.say('Clip of the last minute created.')
    this.#tell('clip', made)
  }

  /** Runs an action. Shows its error. Returns false if it failed. */
  async #try(action) {
    try {
      this.#view.say('')
      await action()
      return true
    } catch (error) {
      this.#view.say(error.message)
      return false
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }))
  }
}

if (!customElements.get('mill-chat')) customElements.define('mill-chat', MillChat)
