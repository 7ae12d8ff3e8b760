import { roleWords } from './words.js'

const byId = (id) => document.getElementById(id)

/** The list of who is there; hosts moderate in it. */
export class People {
  #room
  #list = byId('people').querySelector('ul')
  #template = byId('person-template')

  /** `act` does what a host asks for, and tells of trouble. */
  constructor(room, act) {
    this.#room = room
    const doings = {
      mute: ({ participantId }) => room.mute(participantId, 'audio'),
      kick: ({ participantId }) => room.kick(participantId),
      role: ({ participantId }, { value }) => room.setRole(participantId, value),
    }
    const run = ({ target }) => {
      const row = target.closest('li')
      const asked = target.dataset.do
      if (row && asked) act(() => doings[asked](row.dataset, target))
    }
    this.#list.addEventListener('click', (event) => event.target.localName === 'button' && run(event))
    this.#list.addEventListener('change', run)
  }

  /** Lists them: this one first, then in the order in which they came. */
  show() {
    const { self, participants } = this.#room
    const all = [self, ...participants.values()]
    byId('count').textContent = String(all.length)
    byId('show-people').setAttribute('aria-label', `People: ${all.length}`)
    const rows = new Map([...this.#list.children].map((row) => [row.dataset.participantId, row]))
    for (const one of all) {
      const row = rows.get(one.participantId) ?? this.#row(one)
      rows.delete(one.participantId)
      this.#fill(row, one)
    }
    for (const row of rows.values()) row.remove()
  }

  #row({ participantId }) {
    const row = this.#template.content.cloneNode(true).firstElementChild
    row.dataset.participantId = participantId
    this.#list.append(row)
    return row
  }

  #fill(row, { participantId, displayName, role, tracks }) {
    const { self } = this.#room
    const isSelf = participantId === self.participantId
    row.querySelector('.name').textContent = isSelf ? `${displayName} (you)` : displayName
    row.querySelector('.role').textContent = roleWords[role]
    row.querySelector('.moderation').hidden = isSelf || !self.can.moderate
    row.querySelector('[data-do=role]').value = role
    const speaks = tracks.some(({ source, muted }) => source === 'microphone' && !muted)
    row.querySelector('[data-do=mute]').disabled = !speaks
    for (const [what, label] of [
      ['mute', `Mute ${displayName}`],
      ['kick', `Remove ${displayName}`],
      ['role', `Role of ${displayName}`],
    ])
      row.querySelector(`[data-do=${what}]`).setAttribute('aria-label', label)
  }
}
