import { GuardError, getToken } from './client.js'
import { createView } from './view.js'
import { wordsFor } from './words.js'

/** Time in milliseconds before its expiry when a token is replaced. */
const earlyMs = 30_000

/** Maximum number of tokens that an open page gets automatically. After that, the visitor must use the page again. */
const mostRefreshes = 10

/**
 * `<mill-guard sitekey action>`: a form field whose value is a token.
 *
 * Attributes: `name` (`mill-guard-token`), `auto` (`off`, `onload`, `onfocus`, `onsubmit`), `api`, `workers`, `worker`,
 * `lang`, `theme` (`light`, `dark`, `auto`), `optional`, `disabled`, `assess="off"`. Events, which bubble: `progress`,
 * `solve`, `expire`, `error`, `reset`, each with a `detail`.
 */
export class MillGuard extends HTMLElement {
  static formAssociated = true
  static observedAttributes = ['lang', 'optional', 'sitekey', 'action', 'api']

  #internals = this.attachInternals()
  #view = createView(this)
  #state = 'start'
  #share = 0
  #disabled = false
  #token
  #expiresAt = 0
  #refreshes = 0
  #timer
  #run
  #life
  #submitter
  /** True if a run was in progress when the element was disabled. It resumes when enabled. */
  #resumes = false
  /** True if the form was sent with this token, which is valid once. */
  #sent = false

  constructor() {
    super()
    this.#view.button.addEventListener('click', () => {
      if (['start', 'expired', 'failed'].includes(this.#state)) this.#begin()
    })
  }

  get form() {
    return this.#internals.form
  }
  get name() {
    return this.getAttribute('name') ?? 'mill-guard-token'
  }
  /** Sets the attribute, as fields of HTML do. React sets the property instead of the attribute. */
  set name(name) {
    this.setAttribute('name', name)
  }
  get type() {
    return 'mill-guard'
  }
  get value() {
    return this.#token ?? ''
  }
  /** State of the element: `start`, `working`, `done`, `expired`, `failed` or `denied`. */
  get state() {
    return this.#state
  }
  get validity() {
    return this.#internals.validity
  }
  get validationMessage() {
    return this.#internals.validationMessage
  }
  get willValidate() {
    return this.#internals.willValidate
  }
  checkValidity() {
    return this.#internals.checkValidity()
  }
  reportValidity() {
    return this.#internals.reportValidity()
  }

  connectedCallback() {
    // A name is required, because forms send only fields with a name.
    if (!this.hasAttribute('name')) this.setAttribute('name', this.name)
    this.#life = new AbortController()
    const { signal } = this.#life
    const look = () => this.#look()
    // Timers do not run in the back-forward cache or while a laptop sleeps.
    addEventListener('pageshow', look, { signal })
    document.addEventListener('visibilitychange', look, { signal })
    for (const type of ['keydown', 'pointerdown'])
      addEventListener(type, () => (this.#refreshes = 0), { signal, capture: true })
    const begin = () => this.#state === 'start' && !this.#disabled && this.#begin()
    this.#form()?.addEventListener('focusin', () => this.#auto('onfocus') && begin(), { signal })
    this.#form()?.addEventListener('submit', (event) => this.#submitting(event), { signal, capture: true })
    this.#draw()
    this.#resumes = this.#disabled && this.#auto('onload')
    if (this.#auto('onload')) begin()
  }

  disconnectedCallback() {
    this.#life?.abort()
    this.#stop()
    this.#forget('start')
  }

  attributeChangedCallback(name, before, now) {
    if (!this.#life || before === now) return
    if (name === 'lang' || name === 'optional') this.#draw()
    else this.reset()
  }

  formResetCallback() {
    this.reset()
  }

  /** A token that the browser restores has been used or has expired. */
  formStateRestoreCallback() {
    this.reset()
  }

  formDisabledCallback(disabled) {
    this.#disabled = disabled
    if (disabled) this.#pause()
    this.#draw()
    if (disabled) return
    if (this.#resumes) this.#begin()
    else this.#look()
    this.#resumes = false
  }

  reset() {
    this.#stop()
    this.#resumes = false
    this.#submitter = undefined
    this.#forget('start')
    this.#tell('reset', {})
  }

  /** Gets a token and resolves with it. Rejects with a `GuardError`. */
  async solve() {
    this.#stop()
    const run = new AbortController()
    this.#run = run
    // While a valid token is being replaced, the form can be sent with it.
    const quiet = this.#state === 'done'
    if (!quiet) this.#set('working', 0)
    try {
      const got = await getToken({
        sitekey: this.getAttribute('sitekey') ?? '',
        action: this.getAttribute('action') ?? '',
        ...(this.hasAttribute('api') && { api: this.getAttribute('api') }),
        workers: this.getAttribute('workers'),
        worker: this.getAttribute('worker') ?? undefined,
        assess: this.getAttribute('assess') !== 'off',
        signal: run.signal,
        onprogress: (share, tier) => {
          if (run.signal.aborted) return
          if (!quiet) this.#set('working', share)
          this.#tell('progress', { value: share, tier })
        },
      })
      run.signal.throwIfAborted()
      this.#take(got)
      return got.token
    } catch (error) {
      if (!run.signal.aborted) this.#fail(error, quiet)
      throw error
    } finally {
      if (this.#run === run) this.#run = undefined
    }
  }

  #take({ token, expiresAt, tier, solveMs }) {
    this.#token = token
    this.#sent = false
    this.#expiresAt = expiresAt
    this.#set('done', 1)
    this.#tell('solve', { token, tier, solve_ms: solveMs })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(), Math.max(1000, expiresAt - earlyMs - Date.now()))
    const submitter = this.#submitter
    if (submitter !== undefined) {
      this.#submitter = undefined
      this.form?.requestSubmit(submitter)
    }
  }

  #fail(error, quiet) {
    const { code = 'failed', message, retryAfter } = error instanceof GuardError ? error : { message: String(error) }
    this.#submitter = undefined
    if (quiet && Date.now() < this.#expiresAt) this.#wait(Math.max(1000, this.#expiresAt - Date.now()))
    else this.#forget(code === 'denied' ? 'denied' : 'failed')
    // The reason helps developers of the page, not visitors.
    console.error(`mill-guard: ${code}: ${message}`)
    this.#tell('error', { code, message, ...(retryAfter && { retry_after: retryAfter }) })
  }

  /** Replaces the token before it expires, or reports that it has expired. */
  #look() {
    if (this.#state !== 'done') return
    const left = this.#expiresAt - Date.now()
    const mayRefresh = !document.hidden && !this.#disabled && this.#refreshes < mostRefreshes
    if (left > earlyMs) return this.#wait(left - earlyMs)
    if (left <= 0) {
      this.#forget('expired')
      this.#tell('expire', {})
      if (!mayRefresh || this.#auto('off') || this.#auto('onsubmit')) return
    } else if (!mayRefresh) return this.#wait(left)
    this.#refreshes++
    this.#begin()
  }

  #wait(ms) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(), ms)
  }

  /**
   * With `auto="onsubmit"`, and after a token was sent, the form waits for a new token. It is then submitted with the
   * same button.
   */
  #submitting(event) {
    if (this.#disabled) return
    if (this.#token && !this.#sent && Date.now() < this.#expiresAt) return this.#noteSent(event)
    if (!this.#sent && !this.#auto('onsubmit')) return
    event.preventDefault()
    event.stopImmediatePropagation()
    this.#submitter = event.submitter ?? null
    if (this.#sent) this.#forget('start')
    if (this.#state !== 'working') this.#begin()
  }

  /** Records that the page sent a token and stays open. A page that unloads does not send another token. */
  #noteSent(event) {
    const token = this.#token
    const target = event.submitter?.formTarget || this.form?.target || '_self'
    // The page's own listeners run after this one.
    setTimeout(() => (this.#sent ||= token === this.#token && (event.defaultPrevented || target !== '_self')))
  }

  /** Gets a token for the form. Errors appear as an event and as the state. */
  #begin() {
    this.solve().catch(() => {})
  }

  /** Stops the current run. It starts again when the element is enabled. An existing token is kept. */
  #pause() {
    this.#resumes ||= this.#run !== undefined
    this.#stop()
    if (this.#state === 'working') this.#set('start', 0)
  }

  #form() {
    return this.#internals.form
  }

  #auto(mode) {
    return (this.getAttribute('auto') ?? 'off') === mode
  }

  #stop() {
    clearTimeout(this.#timer)
    this.#run?.abort()
    this.#run = undefined
  }

  #forget(state) {
    this.#token = undefined
    this.#sent = false
    this.#expiresAt = 0
    this.#set(state, 0)
  }

  #set(state, share) {
    this.#state = state
    this.#share = share
    this.#draw()
  }

  #draw() {
    const inherited = this.closest('[lang]')?.getAttribute('lang')
    const words = wordsFor([this.getAttribute('lang') ?? inherited, ...(navigator.languages ?? [])])
    const { language } = words
    const shown = { state: this.#state, text: words[this.#state], share: this.#share }
    this.#view.show({ ...shown, language, disabled: this.#disabled })
    this.#internals.setFormValue(this.#token ?? null)
    const missing = !this.#token && !this.hasAttribute('optional') && !this.#auto('onsubmit')
    if (missing) this.#internals.setValidity({ valueMissing: true }, words.required, this.#view.button)
    else this.#internals.setValidity({})
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }))
  }
}

if (!customElements.get('mill-guard')) customElements.define('mill-guard', MillGuard)
