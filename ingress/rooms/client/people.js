import { roleWords } from './words.js'

const byId = (id) => document.getElementById(id)

export class People {
  #room
  #list = byId('present')
  #waiting = byId('waiting').querySelector('ul')
  #template = byId('person-template')

  constructor(room, act) {
    this.#room = room
    const doings = {
      mute: ({ participantId }) => room.mute(participantId, 'audio'),
      lower: ({ participantId }) => room.raiseHand(false, participantId),
      admit: ({ waitingId }) => room.admit(waitingId),
      refuse: ({ waitingId }) => room.refuse(waitingId),
      kick: ({ participantId }) => room.kick(participantId),
      role: ({ participantId }, { value }) => room.setRole(participantId, value),
    }
    const run = ({ target }) => {
      const row = target.closest('li')
      const asked = target.dataset.do
      if (row && asked) act(() => doings[asked](row.dataset, target))
    }
    for (const list of [this.#list, this.#waiting])
      list.addEventListener('click', (event) => {
        const { localName } = /** @type {PageElement} */ (event.target)
        if (localName === 'button') run(event)
      })
    this.#list.addEventListener('change', run)
    byId('settings').addEventListener('change', (event) => {
      const { name, type, checked, value } = /** @type {PageElement} */ (event.target)
      act(() =>
        room.set({ [name]: type === 'checkbox' ? checked : value }).catch((error) => {
          this.#settings()
          throw error
        }),
      )
    })
  }

  /** Lists this participant first, then the others in the order in which they joined. */
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
    this.#door()
    this.#settings()
  }

  #door() {
    const { waiting } = this.#room
    byId('waiting').hidden = waiting.length === 0
    const label = waiting.length > 0 ? `, ${waiting.length} waiting` : ''
    byId('show-people').setAttribute('aria-label', byId('show-people').getAttribute('aria-label') + label)
    byId('show-people').classList.toggle('waits', waiting.length > 0)
    const rows = new Map([...this.#waiting.children].map((row) => [row.dataset.waitingId, row]))
    for (const { waitingId, displayName } of waiting) {
      if (rows.delete(waitingId)) continue
      const row = byId('waiting-template').content.cloneNode(true).firstElementChild
      row.dataset.waitingId = waitingId
      row.querySelector('.name').textContent = displayName
      row.querySelector('[data-do=admit]').setAttribute('aria-label', `Admit ${displayName}`)
      row.querySelector('[data-do=refuse]').setAttribute('aria-label', `Reject ${displayName}`)
      this.#waiting.append(row)
    }
    for (const row of rows.values()) row.remove()
  }

  #settings() {
    const { self, settings } = this.#room
    byId('settings').hidden = !self.can.moderate
    for (const name of ['chat', 'layout']) byId('settings').querySelector(`[name=${name}]`).value = settings[name]
    byId('settings').querySelector('[name=waitingRoom]').checked = settings.waitingRoom
  }

  #row({ participantId }) {
    const row = this.#template.content.cloneNode(true).firstElementChild
    row.dataset.participantId = participantId
    this.#list.append(row)
    return row
  }

  #fill(row, { participantId, displayName, role, tracks, hand }) {
    const { self } = this.#room
    const isSelf = participantId === self.participantId
    row.querySelector('.name').textContent = isSelf ? `${displayName} (you)` : displayName
    row.querySelector('.role').textContent = roleWords[role]
    row.querySelector('.moderation').hidden = isSelf || !self.can.moderate
    row.querySelector('.raised').hidden = !hand
    row.querySelector('[data-do=lower]').hidden = !hand
    row.querySelector('[data-do=role]').value = role
    const speaks = tracks.some(({ source, muted }) => source === 'microphone' && !muted)
    row.querySelector('[data-do=mute]').disabled = !speaks
    for (const [what, label] of [
      ['lower', `Lower the hand of ${displayName}`],
      ['mute', `Mute ${displayName}`],
      ['kick', `Remove ${displayName}`],
      ['role', `Role of ${displayName}`],
    ])
      row.querySelector(`[data-do=${what}]`).setAttribute('aria-label', label)
  }
}
