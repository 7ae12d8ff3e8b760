const byId = (id) => document.getElementById(id)

const nearEnd = 40

export class Chat {
  #room
  #panel = byId('chat')
  #list = byId('chat').querySelector('ol')
  #form = byId('chat').querySelector('form')
  #shown = new Set()
  #unread = 0

  constructor(room, act) {
    this.#room = room
    const { text, to } = this.#form.elements
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      const said = text.value.trim()
      if (!said) return
      act(async () => {
        await room.say(said, { to: to.value || undefined })
        text.value = ''
      })
    })
    text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      this.#form.requestSubmit()
    })
    byId('show-chat').addEventListener('click', () => this.toggle())
    for (const message of room.chat) this.#add(message)
    room.addEventListener('chat', ({ detail }) => this.#come(detail))
  }

  toggle(open = this.#panel.hidden) {
    this.#panel.hidden = !open
    byId('show-chat').setAttribute('aria-expanded', String(open))
    if (!open) return
    byId('people').hidden = true
    byId('show-people').setAttribute('aria-expanded', 'false')
    this.#count(0)
    this.#list.scrollTop = this.#list.scrollHeight
    if (!this.#form.hidden) this.#form.elements.text.focus()
  }

  show() {
    const { self, participants, chat } = this.#room
    this.#form.hidden = !self.can.chat
    byId('chat-closed').hidden = self.can.chat
    const { to } = this.#form.elements
    const chosen = to.value
    const others = [...participants.values()].map((one) => new Option(one.displayName, one.participantId))
    to.replaceChildren(new Option('Everyone', ''), ...others)
    to.value = participants.has(chosen) ? chosen : ''
    // Adds messages that arrived while the connection was lost.
    for (const message of chat) this.#add(message)
  }

  #come(message) {
    this.#add(message)
    if (this.#panel.hidden && message.from !== this.#room.self.participantId) this.#count(this.#unread + 1)
  }

  #count(unread) {
    this.#unread = unread
    byId('unread').hidden = unread === 0
    byId('unread').textContent = String(unread)
    byId('show-chat').setAttribute('aria-label', unread > 0 ? `Chat: ${unread} unread` : 'Chat')
  }

  #add({ messageId, from, name, to, text, at }) {
    if (this.#shown.has(messageId)) return
    this.#shown.add(messageId)
    const isRead = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < nearEnd
    const row = byId('message-template').content.cloneNode(true).firstElementChild
    const time = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    row.querySelector('.who').textContent = `${this.#whom({ from, name, to })} · ${time}`
    row.querySelector('.said').textContent = text
    this.#list.append(row)
    if (isRead) this.#list.scrollTop = this.#list.scrollHeight
  }

  #whom({ from, name, to }) {
    if (!to) return name
    const { self, participants } = this.#room
    return from === self.participantId
      ? `${name} to ${participants.get(to)?.displayName ?? 'a former participant'} only`
      : `${name} to you only`
  }
}
