import { style } from './style.js'

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

const sentences = {
  banned: 'You are banned from this chat.',
  revoked: 'Your access to this chat has ended.',
  refused: 'The chat is not available. Reload the page.',
}

/** Renders a chat in the shadow root of `host`. All text is set as text, so that messages cannot contain HTML. */
export function createView(host, actions) {
  const root = host.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [style]
  const list = make('ol')
  const log = make('div', { role: 'log', 'aria-label': 'Chat', tabindex: '0' }, list)
  const input = make('input', { 'aria-label': 'Message', autocomplete: 'off', placeholder: 'Write a message' })
  const send = make('button', { type: 'submit' }, 'Send')
  const clip = make('button', { type: 'button', class: 'clip' }, 'Clip the last minute')
  const form = make('form', {}, input, send)
  const told = make('p', { role: 'status' })
  clip.hidden = true
  root.append(log, told, form, clip)
  const lines = new Map()

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const text = input.value.trim()
    if (text && (await actions.write(text))) input.value = ''
  })
  clip.addEventListener('click', () => actions.clip())

  function lineOf(message, me) {
    const name = make('b', { class: message.role }, message.name)
    const line = make('li', {}, name, ' ', make('span', {}, message.text))
    const canRemove = me?.role === 'moderator' || (message.personId && message.personId === me?.personId)
    const button = (word, label, act) => {
      const made = make('button', { type: 'button', 'aria-label': `${label}: ${message.name}` }, word)
      made.addEventListener('click', act)
      line.append(' ', made)
    }
    if (canRemove) button('Delete', 'Delete message', () => actions.remove(message))
    if (me?.role === 'moderator' && message.personId && message.personId !== me.personId)
      button('Ban', 'Ban', () => actions.ban(message))
    return line
  }

  function sentenceOf({ end, reason, isConnected, me, isOpen, opensAt }) {
    if (end) return `${sentences[end]}${reason ? ` ${reason}` : ''}`
    if (!isConnected) return 'Connecting…'
    if (isOpen || me.role === 'moderator') return 'Write a message'
    return opensAt ? `The chat opens at ${new Date(opensAt).toLocaleString()}` : 'The chat is closed.'
  }

  return {
    say(text) {
      told.textContent = text
    },
    show(feed) {
      const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40
      const shown = new Set(feed.messages.map(({ messageId }) => messageId))
      for (const [id, line] of lines) {
        if (shown.has(id)) continue
        line.remove()
        lines.delete(id)
      }
      for (const message of feed.messages) {
        if (lines.has(message.messageId)) continue
        const line = lineOf(message, feed.me)
        lines.set(message.messageId, line)
        list.append(line)
      }
      input.disabled = !feed.isConnected || !(feed.isOpen || feed.me?.role === 'moderator')
      send.disabled = input.disabled
      input.placeholder = sentenceOf(feed)
      input.maxLength = feed.maxLength
      clip.hidden = !feed.me?.canClip || Boolean(feed.end)
      if (isAtEnd) log.scrollTop = log.scrollHeight
    },
  }
}
