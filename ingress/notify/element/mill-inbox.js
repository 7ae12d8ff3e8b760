import { createFeed } from './feed.js'
import { createView } from './view.js'
import { wordsFor } from './words.js'

/**
 * `src` is the `url` of a stream token that was created with `marks`. Alternatively, `token-url` is a URL on the page’s
 * own server that answers a POST with `{"url": …}`. It is requested again when a token has expired. Attributes:
 * `inline` (no bell), `theme` (`light`, `dark`, `auto`), `lang`. Events: `open` (cancelable, with the item), `item`,
 * `count`, `expire`.
 */
export class MillInbox extends HTMLElement {
  static observedAttributes = ['src', 'token-url', 'inline', 'lang']

  #open = false
  #counted = ''
  #feed = createFeed(
    (item) => this.#changed(item),
    () => this.#renew(),
  )
  #view = createView(this, (word, item, event) => this.#act(word, item, event))
  #life

  constructor() {
    super()
    this.#view.panel.addEventListener('keydown', (event) => this.#key(event))
  }

  connectedCallback() {
    this.#life = new AbortController()
    const { signal } = this.#life
    document.addEventListener('pointerdown', (event) => !event.composedPath().includes(this) && this.close(), {
      signal,
    })
    this.#draw()
    void this.#start()
  }

  disconnectedCallback() {
    this.#life?.abort()
    this.#life = undefined
    this.#feed.close()
  }

  attributeChangedCallback(name, before, now) {
    if (!this.#life || before === now) return
    if (name === 'src' || name === 'token-url') void this.#start()
    else this.#draw()
  }

  get unread() {
    return this.#feed.counts.unread
  }

  open() {
    if (this.#open) return
    this.#open = true
    this.#draw()
    this.#view.panel.focus()
    this.#see()
  }

  /** Hides the panel. If the focus was in the panel, it returns to the bell. */
  close() {
    if (!this.#open) return
    const within = this.#view.panel.contains(this.#view.active())
    this.#open = false
    this.#draw()
    if (within) this.#view.bell.focus()
  }

  async #start() {
    const url = this.getAttribute('src') ?? (await this.#renew().catch(() => undefined))
    if (this.#life && (url || this.hasAttribute('token-url'))) this.#feed.open(url)
  }

  async #renew() {
    const address = this.getAttribute('token-url')
    if (!address) return void this.#tell('expire', {})
    const answer = await fetch(address, { method: 'POST' })
    return answer.ok ? (await answer.json()).url : undefined
  }

  #changed(item) {
    this.#draw()
    if (item) {
      this.#view.say(`${this.#words().came} ${item.title}`)
      this.#tell('item', item)
    }
    const { unread, unseen } = this.#feed.counts
    const counted = `${unread} ${unseen}`
    if (counted === this.#counted) return
    this.#counted = counted
    this.#tell('count', { unread, unseen })
    this.#see()
  }

  #see() {
    const shown = this.#open || this.hasAttribute('inline')
    if (shown && this.#feed.counts.unseen > 0 && !document.hidden) this.#mark('seen')
  }

  #mark(mark, ids) {
    this.#feed.mark(mark, ids).catch((error) => console.error(`mill-inbox: ${mark}: ${error.message}`))
  }

  #act(word, item, event) {
    if (word === 'toggle') this.#open ? this.close() : this.open()
    else if (word === 'close') this.close()
    else if (word === 'readAll') this.#mark('read')
    else if (word === 'retry') this.#feed.retry()
    else if (word === 'older') this.#feed.older().catch(() => this.#feed.retry())
    else if (word === 'open') {
      if (!item.read_at) this.#mark('read', [item.id])
      if (!this.#tell('open', item)) event.preventDefault()
    } else if (item) this.#mark(word, [item.id])
    else if (word === 'archived') this.#feed.show(!this.#feed.archived)
  }

  #key(event) {
    const { key } = event
    if (key === 'Escape') return this.close()
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const lines = this.#view.lines()
    const at = lines.findIndex((line) => line.contains(this.#view.active()))
    const to = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: lines.length - 1 }[key]
    const item = this.#feed.items[at]
    if (to !== undefined) lines[Math.min(to, lines.length - 1)]?.firstChild.focus()
    else if (!item || !this.#press(key, item, event)) return
    event.preventDefault()
  }

  /** Handles a key on an item. Returns false if the key has no effect. */
  #press(key, item, event) {
    if (key === 'r') this.#mark(item.read_at ? 'unread' : 'read', [item.id])
    else if (key === 'a') this.#mark(item.archived_at ? 'unarchived' : 'archived', [item.id])
    else if (['Enter', ' '].includes(key) && this.#view.active().localName === 'div') this.#act('open', item, event)
    else return false
    return true
  }

  #words() {
    const inherited = this.closest('[lang]')?.getAttribute('lang')
    return wordsFor([this.getAttribute('lang') ?? inherited, ...(navigator.languages ?? [])])
  }

  #draw() {
    this.#view.show({
      feed: this.#feed,
      open: this.#open,
      inline: this.hasAttribute('inline'),
      words: this.#words(),
    })
  }

  #tell(type, detail) {
    return this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, cancelable: true, detail }))
  }
}

if (!customElements.get('mill-inbox')) customElements.define('mill-inbox', MillInbox)
