const origin = new URL(import.meta.url).origin

const pollMs = 4_000

const dark = `--bot-background: #17232c; --bot-text: #e6eef3; --bot-quiet: #a3b4c0; --bot-line: #33444f; --bot-strong: #6cc5e2;
  --bot-own: #1f303b; --bot-bad: #ff9a92; --bot-on: #06222d;`

const style = `
:host {
  --bot-background: #fff; --bot-text: #1d2b36; --bot-quiet: #55656f; --bot-line: #7d8d97; --bot-strong: #0b6e8f; --bot-own: #e8f3f7;
  --bot-bad: #b3261e; --bot-on: #fff;
  display: block; max-inline-size: 32rem; font: 1rem/1.4 system-ui, sans-serif; color: var(--bot-text);
}
:host([hidden]), [hidden] { display: none !important }
:host([theme=dark]) { ${dark} }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} } }
section { display: flex; flex-direction: column; block-size: min(36rem, 85vh); background: var(--bot-background); border: 1px solid var(--bot-line); border-radius: .5rem; overflow: hidden }
h2 { font-size: 1rem; margin: 0; padding: .75rem 1rem; border-block-end: 1px solid var(--bot-line) }
.log { padding: 1rem; flex: 1; overflow: auto; overscroll-behavior: contain }
.line { margin-block-end: .75rem; white-space: pre-line; overflow-wrap: anywhere }
.own { background: var(--bot-own); border-radius: .5rem; padding: .5rem .75rem; margin-inline-start: 15% }
.who { display: block; font-size: .8125rem; color: var(--bot-quiet) }
.fault { color: var(--bot-bad) }
.state { margin: 0; padding: 0 1rem; font-size: .875rem; color: var(--bot-quiet); min-block-size: 1.4em }
form { display: flex; flex-wrap: wrap; gap: .5rem; padding: .5rem 1rem 1rem }
textarea { flex: 1 1 12rem; min-inline-size: 0; box-sizing: border-box; font: inherit; color: inherit; background: var(--bot-background); border: 1px solid var(--bot-line); border-radius: .25rem; padding: .5rem; resize: none }
button { font: inherit; min-block-size: 2.5rem; padding: .25rem .75rem; border-radius: .25rem; border: 1px solid var(--bot-strong); color: var(--bot-strong); background: none; cursor: pointer }
button.send { background: var(--bot-strong); color: var(--bot-on) }
.starters { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0 1rem }
:focus-visible { outline: 3px solid var(--bot-strong); outline-offset: 2px }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
`

let sheet
function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
  }
  return sheet
}

function make(name, facts = {}, ...children) {
  const node = Object.assign(document.createElement(name), facts)
  node.append(...children)
  return node
}

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
 * Attributes: `theme` (`light`, `dark`, `auto`) and `heading`. Events: `answer` and `handover`, with the data of the
 * API.
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
  #conversation
  #seq = 0
  #busy = false
  #handed = false
  #timer
  #begun = false

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [styleSheet()]
    this.#log.setAttribute('role', 'log')
    this.#log.setAttribute('aria-label', 'Conversation')
    this.#state.setAttribute('role', 'status')
    const section = make('section', {}, this.#heading, this.#log, this.#state, this.#starters, this.#form)
    section.setAttribute('aria-labelledby', 'heading')
    root.append(section)
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

  #ask(path, body, headers = {}) {
    const bot = encodeURIComponent(this.getAttribute('bot') ?? '')
    return fetch(`${origin}/v1/bots/${bot}/visit${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${this.getAttribute('key')}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    })
  }

  async #begin() {
    const answer = await this.#ask('').catch(() => undefined)
    if (!answer?.ok) return void this.#tellState('The bot is unavailable.')
    const { name, greeting, starter_questions } = await answer.json()
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
      const body = { message, stream: true, ...(this.#conversation && { conversation_id: this.#conversation }) }
      // If the connection breaks, the request is repeated once. It has the same key, so it is answered only once.
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const shown = {}
      await this.#follow(body, headers, shown).catch((error) => {
        if (error.refused) throw error
        return this.#follow(body, headers, shown)
      })
      this.#tellState(this.#handed ? 'A person will answer here.' : '')
    } catch (error) {
      this.#tellState('')
      this.#line('fault', '', error.told ?? 'No answer is available. Try again later.')
    }
    this.#busy = false
    this.#person.hidden = this.#handed || !this.#conversation
    if (this.#handed) this.#poll()
  }

  /** `shown` is the answer's line that the first request created. */
  async #follow(body, headers, shown) {
    const answer = await this.#ask('/chat', body, headers)
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
    const answer = await this.#ask(`/${this.#conversation}/handover`, {}).catch(() => undefined)
    if (!answer?.ok) return void this.#tellState('No one is available right now.')
    this.#handed = true
    this.#person.hidden = true
    this.#tellState('A person will answer here.')
    this.#text.focus()
    this.dispatchEvent(new CustomEvent('handover', { bubbles: true, composed: true, detail: await answer.json() }))
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
    const { data, handed_over, closed } = await answer.json()
    for (const { role, author, content, seq } of data.filter((message) => message.seq > this.#seq)) {
      if (role === 'assistant') this.#line('bot', author ?? this.#heading.textContent, content)
      this.#seq = seq
    }
    this.#handed = handed_over
    if (handed_over) return
    if (closed) this.#conversation = undefined
    this.#tellState(closed ? 'This conversation is closed.' : '')
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
