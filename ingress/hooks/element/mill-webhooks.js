import { ApiError, createClient } from './client.js'
import { button, make } from './dom.js'
import { showEndpoint } from './endpoint.js'
import { showForm } from './endpoint-form.js'
import { showEndpoints } from './endpoints.js'
import { showMessage, showMessages } from './messages.js'
import { style } from './style.js'
import { showTypes } from './types.js'
import { wordsFor } from './words.js'

const views = {
  endpoints: showEndpoints,
  endpoint: showEndpoint,
  form: showForm,
  messages: showMessages,
  message: showMessage,
  types: showTypes,
}

/**
 * Webhooks of one application in a web page. `token` is a portal token. Alternatively, `token-url` is a URL on the
 * page’s own server that answers a POST with `{"token": …}`. It is requested again when a token has expired. Attributes:
 * `theme` (`light`, `dark`, `auto`), `lang`. The property `words` replaces texts. Events: `mill-load`, `mill-change`
 * (with `kind` and `id`), `mill-expire`.
 */
export class MillWebhooks extends HTMLElement {
  static observedAttributes = ['token', 'token-url', 'lang']

  #own = {}
  #portal
  #ask
  #place = ['endpoints', {}]
  #draws = 0
  // Attributes of the page's HTML are reported before the element is connected.
  #connected = false
  #shadow = this.attachShadow({ mode: 'open' })
  #nav = make('nav')
  #box = make('div')
  #live = make('p', { role: 'status', className: 'status' })

  constructor() {
    super()
    this.#shadow.adoptedStyleSheets = [style()]
    this.#shadow.append(this.#nav, this.#box, this.#live)
  }

  connectedCallback() {
    this.#connected = true
    void this.#load()
  }

  disconnectedCallback() {
    this.#connected = false
    this.#draws++
  }

  attributeChangedCallback(name, before, now) {
    if (!this.#connected || before === now) return
    if (name === 'lang') void this.#draw(false)
    else void this.#load()
  }

  get words() {
    return this.#own
  }

  set words(own) {
    this.#own = own ?? {}
    if (this.#portal) void this.#draw(false)
  }

  async #load() {
    this.#portal = undefined
    this.#ask = createClient({ first: () => this.getAttribute('token') ?? '', renew: () => this.#renew() })
    await this.#draw(false)
    if (this.#portal) this.#tell('load', this.#portal)
  }

  async #renew() {
    const address = this.getAttribute('token-url')
    if (!address) return ''
    const answer = await fetch(address, { method: 'POST' }).catch(() => undefined)
    return answer?.ok ? ((await answer.json()).token ?? '') : ''
  }

  #words() {
    const inherited = this.closest('[lang]')?.getAttribute('lang')
    return { ...wordsFor([this.getAttribute('lang') ?? inherited, ...(navigator.languages ?? [])]), ...this.#own }
  }

  /** Shows another view. `said` is a result that screen readers read. */
  #go(view, given = {}, said = '') {
    this.#place = [view, given]
    void this.#draw(true, said)
  }

  async #draw(moves, said = '') {
    const draw = ++this.#draws
    const words = this.#words()
    const [view, given] = this.#place
    this.#live.textContent = words.loading
    if (!this.#portal) this.#nav.hidden = true
    try {
      this.#portal ??= await this.#ask('GET', '')
      const nodes = await views[view](this.#context(words), given)
      if (draw !== this.#draws) return
      this.#drawNav(words, view)
      this.#box.replaceChildren(...nodes)
      this.#live.textContent = said
      if (moves) this.#box.querySelector('h2')?.focus()
    } catch (error) {
      if (draw === this.#draws) this.#fail(words, error)
    }
  }

  #drawNav(words, view) {
    const of = { endpoints: ['endpoints', 'endpoint', 'form'], messages: ['messages', 'message'], types: ['types'] }
    const links = Object.entries(of).map(([name, all]) =>
      button(words[name], () => this.#go(name), { 'aria-current': all.includes(view) ? 'page' : undefined }),
    )
    this.#nav.hidden = false
    this.#nav.setAttribute('aria-label', words.title)
    this.#nav.replaceChildren(...links)
  }

  #fail(words, error) {
    const expired = error instanceof ApiError && error.status === 401
    if (expired) {
      this.#portal = undefined
      this.#tell('expire', {})
    }
    this.#nav.hidden = !this.#portal
    this.#live.textContent = ''
    const gone = error instanceof ApiError && error.status === 404 && this.#portal
    const back = gone
      ? button(words.back, () => this.#go('endpoints'))
      : button(words.again, () => (this.#portal ? this.#draw(false) : this.#load()))
    this.#box.replaceChildren(
      make('p', { role: 'alert' }, expired ? words.expired : gone ? words.gone : words.failed),
      back,
    )
  }

  /** What the views need. `act` runs a change, and shows its error if it fails. */
  #context(words) {
    const { capability } = this.#portal
    const locale = words.language
    return {
      words,
      portal: this.#portal,
      canManage: capability === 'manage',
      ask: this.#ask,
      go: (view, given, said) => this.#go(view, given, said),
      say: (text) => {
        this.#live.textContent = text
      },
      changed: (kind, id) => this.#tell('change', { kind, id }),
      time: (at) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at)),
      heading: (text) => make('h2', { tabIndex: -1 }, text),
      act: async (work) => {
        try {
          return await work()
        } catch (error) {
          if (error instanceof ApiError && error.status === 401) this.#fail(words, error)
          else this.#live.textContent = error instanceof ApiError && error.message ? error.message : words.failed
          return undefined
        }
      },
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(`mill-${type}`, { bubbles: true, composed: true, detail }))
  }
}

if (!customElements.get('mill-webhooks')) customElements.define('mill-webhooks', MillWebhooks)
