import { style } from './style.js'
import { wordsFor } from './words.js'

/** Creates an element with properties and children. Names with a dash are attributes. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role') element.setAttribute(key, value)
    else element[key] = value
  }
  element.append(...children)
  return element
}

const api = new URL('../../preferences', import.meta.url)

/**
 * Preferences of one person in a web page. `token` is a preferences token. Alternatively, `token-url` is a URL on the
 * page’s own server that answers a POST with `{"token": …}`. It is requested again when a token has expired. Attributes:
 * `theme` (`light`, `dark`, `auto`), `lang`. Events: `load` and `save` (with the preferences), `expire`.
 */
export class MillPreferences extends HTMLElement {
  static observedAttributes = ['token', 'token-url', 'lang']

  #token = ''
  #loads = 0
  #shown
  #state = 'loading'
  #shadow = this.attachShadow({ mode: 'open' })
  #live = make('p', { role: 'status', className: 'status' })
  #box = make('div')

  constructor() {
    super()
    this.#shadow.adoptedStyleSheets = [style()]
    this.#shadow.append(this.#box, this.#live)
  }

  connectedCallback() {
    void this.#load()
  }

  disconnectedCallback() {
    this.#loads++
  }

  attributeChangedCallback(name, before, now) {
    if (!this.isConnected || before === now) return
    if (name === 'lang') this.#draw()
    else void this.#load()
  }

  async #load() {
    const load = ++this.#loads
    this.#state = 'loading'
    this.#draw()
    this.#token = this.getAttribute('token') ?? ''
    try {
      const shown = await this.#ask('GET')
      if (load !== this.#loads) return
      this.#shown = shown
      this.#state = 'shown'
      this.#tell('load', shown)
    } catch {
      if (load !== this.#loads) return
      this.#state = 'failed'
    }
    this.#draw()
  }

  /** Calls the API. If the token is missing or has expired, it is renewed once. */
  async #ask(method, body, again = true) {
    const answer = this.#token
      ? await fetch(api, {
          method,
          headers: { authorization: `Bearer ${this.#token}`, ...(body && { 'content-type': 'application/json' }) },
          body: body && JSON.stringify(body),
        })
      : undefined
    if (answer?.ok) return await answer.json()
    if (answer && answer.status !== 401) throw new Error(`${answer.status}`)
    this.#token = again ? await this.#renew() : ''
    if (!this.#token) throw new Error('401')
    return await this.#ask(method, body, false)
  }

  async #renew() {
    const address = this.getAttribute('token-url')
    if (!address) {
      this.#tell('expire', {})
      return ''
    }
    const answer = await fetch(address, { method: 'POST' })
    return answer.ok ? ((await answer.json()).token ?? '') : ''
  }

  async #save(body) {
    const words = this.#words()
    try {
      this.#shown = await this.#ask('PATCH', body)
      this.#draw()
      this.#live.textContent = words.saved
      this.#tell('save', this.#shown)
    } catch {
      this.#draw()
      this.#live.textContent = words.unsaved
    }
  }

  #words() {
    const inherited = this.closest('[lang]')?.getAttribute('lang')
    return wordsFor([this.getAttribute('lang') ?? inherited, ...(navigator.languages ?? [])])
  }

  #draw() {
    const words = this.#words()
    this.#live.textContent = ''
    if (this.#state === 'loading') return this.#box.replaceChildren(make('p', {}, words.loading))
    if (this.#state === 'failed') {
      const again = make('button', { type: 'button', onclick: () => void this.#load() }, words.again)
      return this.#box.replaceChildren(make('p', { role: 'alert' }, words.failed), again)
    }
    const focused = this.#shadow.activeElement?.getAttribute('data-name')
    const { status, topics, notifications } = this.#shown
    const out = status === 'unsubscribed'
    this.#box.replaceChildren(
      ...(out ? [make('p', {}, words.unsubscribed)] : []),
      ...(topics.length > 0 ? [this.#topics(topics, words)] : []),
      ...notifications.map((one) => this.#notification(one, words)),
      ...(topics.length + notifications.length === 0 ? [make('p', {}, words.empty)] : []),
      ...(out ? [] : [this.#all(words)]),
    )
    for (const control of this.#box.querySelectorAll('[data-name]'))
      if (control instanceof HTMLElement && control.dataset.name === focused) control.focus()
  }

  #topics(topics, words) {
    const boxes = topics.map(({ key, name, description, state }) => {
      const set = (checked) => this.#save({ topics: { [key]: checked ? 'subscribed' : 'unsubscribed' } })
      return choice(`topic ${key}`, name, description, state === 'subscribed', set)
    })
    return make('fieldset', {}, make('legend', {}, words.topics), ...boxes)
  }

  #notification({ product_key, type, channels }, words) {
    const boxes = Object.entries(words.channels).map(([channel, label]) => {
      const set = (checked) => {
        const now = checked ? [...channels, channel] : channels.filter((one) => one !== channel)
        void this.#save({ notifications: [{ product_key, type, channels: now }] })
      }
      return choice(`${product_key} ${type} ${channel}`, label, null, channels.includes(channel), set)
    })
    const name = `${product_key}: ${type === '*' ? words.others : type}`
    return make('fieldset', {}, make('legend', {}, name), ...boxes)
  }

  /** The button asks once more, because nobody can undo it. */
  #all(words) {
    const button = make('button', { type: 'button', 'data-name': 'all' }, words.all)
    button.onclick = () => {
      if (button.textContent === words.all) button.textContent = words.sure
      else void this.#save({ unsubscribe_all: true })
    }
    return button
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }))
  }
}

function choice(name, label, description, checked, set) {
  const box = make('input', { type: 'checkbox', checked, 'data-name': name })
  box.onchange = () => void set(box.checked)
  const text = make('span', {}, label)
  if (description) text.append(make('small', {}, description))
  return make('label', {}, box, text)
}

if (!customElements.get('mill-preferences')) customElements.define('mill-preferences', MillPreferences)
