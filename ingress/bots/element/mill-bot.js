import { contactForm, make, ratingForm } from './forms.js'
import { styleSheet } from './style.js'

const origin = new URL(import.meta.url).origin

const pollMs = 4_000

async function* eventsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = `${rest}${value}`.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const facts = Object.fromEntries(
        part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      if (facts.event) yield [facts.event, JSON.parse(facts.data)]
    }
  }
}

/** Returns the error of a rejected request. `refused` is true if a retry would fail again. */
async function refusalOf(answer) {
  const told =
    answer.status === 429
      ? 'Too many messages. Wait a moment.'
      : (await answer.json().catch(() => undefined))?.error?.message
  return Object.assign(new Error(`${answer.status}`), { told, refused: answer.status < 500 })
}

/**
 * `<mill-bot key bot>`: a conversation with a bot. `key` is a public key with `bots:chat`, `bot` is the bot's ID.
 * `public-key` is another name of `key`, because frameworks such as React and Vue reserve `key`.
 * Attributes: `theme` (`light`, `dark`, `auto`) and `heading`. Events: `answer`, `handover` and `rating`, with
 * the data of the API.
 */
export class MillBot extends HTMLElement {
  #heading = make('h2', { id: 'heading', textContent: 'Chat' })
  // The element is focusable, so that it can be scrolled with the keyboard.
  #log = make('div', { className: 'log', tabIndex: 0 })
  #state = make('p', { className: 'state' })
  #starters = make('div', { className: 'starters' })
  #text = make('textarea', { id: 'text', rows: 2, maxLength: 2000, placeholder: 'Write a message' })
  #send = make('button', { className: 'send', textContent: 'Send' })
  #person = make('button', { type: 'button', textContent: 'Talk to a person', hidden: true })
  #form = make(
    'form',
    {},
    make('label', { className: 'unseen', htmlFor: 'text', textContent: 'Message' }),
    this.#text,
    this.#send,
    this.#person,
  )
  #contact = contactForm((email) => this.#leaveEmail(email))
  #rate = ratingForm((rating) => this.#sendRating(rating))
  #conversation
  /** The conversation that the visitor can rate. It can have ended. */
  #rated
  #language = navigator.language || undefined
  #seq = 0
  #busy = false
  #handed = false
  #timer
  #begun = false
  #open = true
  #back

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [styleSheet()]
    this.#log.setAttribute('role', 'log')
    this.#log.setAttribute('aria-label', 'Conversation')
    this.#state.setAttribute('role', 'status')
    const section = make('section', {}, this.#heading, this.#log, this.#state, this.#starters)
    section.append(this.#contact, this.#rate, this.#form)
    section.setAttribute('aria-labelledby', 'heading')
    root.append(section)
    // A form below the log makes the log smaller, which would hide the newest message.
    new ResizeObserver(() => {
      this.#log.scrollTop = this.#log.scrollHeight
    }).observe(this.#log)
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.say(this.#text.value)
    })
    this.#text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      this.#form.requestSubmit()
    })
    this.#person.addEventListener('click', () => void this.#askForPerson())
  }

  connectedCallback() {
    if (!this.#begun) void this.#begin()
    this.#begun = true
    if (this.#handed) this.#poll()
  }

  disconnectedCallback() {
    clearTimeout(this.#timer)
  }

  #ask(path, body, { method = body ? 'POST' : 'GET', headers = {} } = {}) {
    const bot = encodeURIComponent(this.getAttribute('bot') ?? '')
    return fetch(`${origin}/v1/bots/${bot}/visit${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.getAttribute('key') ?? this.getAttribute('public-key')}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    })
  }

  async #begin() {
    const answer = await this.#ask('').catch(() => undefined)
    if (!answer?.ok) return void this.#tellState('The bot is unavailable.')
    const { name, greeting, starter_questions, available, next_open_at } = await answer.json()
    this.#tellAvailability(available, next_open_at)
    this.#heading.textContent = this.getAttribute('heading') ?? name
    if (greeting) this.#line('bot', name, greeting)
    this.#starters.replaceChildren(
      ...starter_questions.map((question) =>
        make('button', { type: 'button', textContent: question, onclick: () => void this.say(question) }),
      ),
    )
  }

  async say(message) {
    if (this.#busy || message.trim() === '') return
    this.#busy = true
    this.#text.value = ''
    this.#starters.replaceChildren()
    this.#line('own', 'You', message)
    this.#tellState('…')
    try {
      const language = this.#language
      const body = {
        message,
        stream: true,
        language,
        ...(this.#conversation && { conversation_id: this.#conversation }),
      }
      // If the connection breaks, the request is repeated once. It has the same key, so it is answered only once.
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const shown = {}
      await this.#follow(body, headers, shown).catch((error) => {
        if (error.refused) throw error
        return this.#follow(body, headers, shown)
      })
      this.#tellState(this.#handed ? this.#waiting() : '')
    } catch (error) {
      this.#tellState('')
      this.#line('fault', '', error.told ?? 'No answer is available. Try again later.')
    }
    this.#busy = false
    this.#person.hidden = this.#handed || !this.#conversation
    if (this.#handed)
      void this.#hear()
        .catch(() => {})
        .then(() => this.#poll())
  }

  /** `shown` is the answer's line that the first request created. */
  async #follow(body, headers, shown) {
    const answer = await this.#ask('/chat', body, { headers })
    if (!answer.ok) throw await refusalOf(answer)
    if (shown.line) shown.line.lastChild.textContent = ''
    for await (const [name, data] of eventsOf(answer)) {
      if (name === 'message.created') this.#conversation = data.conversation_id
      if (name === 'message.restarted' && shown.line) shown.line.lastChild.textContent = ''
      if (name === 'message.delta') {
        shown.line ??= this.#line('bot', this.#heading.textContent, '')
        shown.line.lastChild.append(data.text)
        this.#log.scrollTop = this.#log.scrollHeight
      }
      if (name === 'message.completed') return this.#ended(data, shown.line)
      if (name === 'error') throw Object.assign(new Error(data.code), { told: data.message })
    }
    throw new Error('The stream ended early.')
  }

  #ended(data, line) {
    this.#seq = data.message.seq
    this.#handed = data.handed_over
    if (!this.#handed)
      (line ?? this.#line('bot', this.#heading.textContent, '')).lastChild.textContent = data.message.content
    this.dispatchEvent(
      new CustomEvent(this.#handed ? 'handover' : 'answer', { bubbles: true, composed: true, detail: data }),
    )
  }

  async #askForPerson() {
    const body = { language: this.#language }
    const answer = await this.#ask(`/${this.#conversation}/handover`, body).catch(() => undefined)
    if (!answer?.ok) return void this.#tellState('No one is available right now.')
    this.#handed = true
    this.#person.hidden = true
    const detail = await answer.json()
    this.#tellAvailability(detail.available, detail.next_open_at)
    this.#tellState(this.#waiting())
    this.#text.focus()
    this.dispatchEvent(new CustomEvent('handover', { bubbles: true, composed: true, detail }))
    await this.#hear().catch(() => {})
    this.#poll()
  }

  #poll() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(async () => {
      if (!this.#busy) await this.#hear().catch(() => {})
      if (this.#handed && this.isConnected) this.#poll()
    }, pollMs)
  }

  async #hear() {
    const answer = await this.#ask(`/${this.#conversation}/messages?after=${this.#seq}`)
    if (!answer.ok) return
    const { data, handed_over, closed, rateable, asks_email, available, next_open_at } = await answer.json()
    for (const { role, author, content, seq } of data.filter((message) => message.seq > this.#seq)) {
      if (role === 'assistant') this.#line('bot', author ?? this.#heading.textContent, content)
      this.#seq = seq
    }
    this.#handed = handed_over
    this.#tellAvailability(available, next_open_at)
    this.#contact.hidden = !asks_email
    if (handed_over) return this.#tellState(this.#waiting())
    this.#rated = this.#conversation
    this.#rate.hidden = !rateable
    if (closed) this.#conversation = undefined
    this.#tellState(closed ? 'This conversation is closed.' : '')
  }

  #tellAvailability(available, nextOpenAt) {
    this.#open = available
    this.#back = nextOpenAt && new Date(nextOpenAt)
    if (!available && !this.#conversation) this.#tellState(this.#waiting())
  }

  /** Returns when people reply, in the language and time zone of the visitor. */
  #waiting() {
    if (this.#open) return 'A person will answer here.'
    if (!this.#back) return 'Our team is not available right now.'
    const when = new Intl.DateTimeFormat(this.#language, {
      weekday: 'long',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    })
    return `Our team is back: ${when.format(this.#back)}`
  }

  async #leaveEmail(email) {
    const answer = await this.#ask(`/${this.#conversation}/contact`, { email }, { method: 'PUT' }).catch(
      () => undefined,
    )
    if (!answer?.ok) return void this.#tellState('The address could not be saved. Check it and try again.')
    this.#contact.hidden = true
    this.#tellState('Your email address is saved.')
    this.#text.focus()
  }

  async #sendRating(rating) {
    const answer = await this.#ask(`/${this.#rated}/rating`, rating, { method: 'PUT' }).catch(() => undefined)
    if (!answer?.ok) return void this.#tellState('The rating could not be saved. Try again later.')
    this.#rate.hidden = true
    this.#tellState('Thank you for your rating.')
    this.#text.focus()
    this.dispatchEvent(new CustomEvent('rating', { bubbles: true, composed: true, detail: await answer.json() }))
  }

  #tellState(text) {
    this.#state.textContent = text
  }

  #line(kind, who, text) {
    const line = make(
      'div',
      { className: `line ${kind}` },
      make('span', { className: 'who', textContent: who }),
      make('span', { textContent: text }),
    )
    this.#log.append(line)
    this.#log.scrollTop = this.#log.scrollHeight
    return line
  }
}

if (!customElements.get('mill-bot')) customElements.define('mill-bot', MillBot)
