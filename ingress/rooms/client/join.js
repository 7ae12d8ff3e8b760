import { bindBar } from './bar.js'
import { Chat } from './chat.js'
import { moveChoices, watchChoices } from './choices.js'
import { join } from './client.js'
import { Invitation } from './invitation.js'
import { bindKeys } from './keys.js'
import { Lobby } from './lobby.js'
import { People } from './people.js'
import { Stage } from './stage.js'
import { endingWords, mayComeAgain, nextWords, roleWords, troubleWords } from './words.js'

const byId = (id) => document.getElementById(id)
const asked = new URLSearchParams(location.search)
const height = Number(asked.get('height')) || undefined
const roomId = decodeURIComponent(location.pathname.split('/').at(-2) ?? '')

const invitation = new Invitation({ roomId, token: asked.get('token') ?? '', invite: asked.get('invite') ?? '' })

function say(id, text) {
  byId(id).textContent = text
  byId(id).hidden = !text
  byId('caption').hidden = byId('trouble').hidden
}

/**
 * True for errors that are not shown. `bad_request` is a bug in this client. After `media_lost`, the client reconnects.
 */
const isOurs = ({ code }) => code === 'bad_request' || code === 'media_lost'
const trouble = (error) => isOurs(error) || say('trouble', troubleWords(error))

const act = (doing) =>
  Promise.resolve()
    .then(doing)
    .catch((error) => byId('over').hidden && trouble(error))

function view(name) {
  for (const one of ['checking', 'lobby', 'wait', 'room', 'over']) byId(one).hidden = one !== name
}

function tellEnd(error) {
  say('status', '')
  say('trouble', '')
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close()
  byId('over-says').textContent = endingWords(error)
  byId('over-more').textContent = mayComeAgain(error) ? '' : nextWords(error)
  byId('again').hidden = !mayComeAgain(error)
  view('over')
}

function onWaiting({ name }) {
  say('status', '')
  byId('wait-title').textContent = name
  document.title = name
  view('wait')
}

async function enter(tracks) {
  say('status', 'Joining…')
  const leaving = new AbortController()
  addEventListener('pagehide', () => leaving.abort())
  try {
    const token = await invitation.token(byId('name').value.trim())
    const room = await join({ roomId, token, signal: leaving.signal, onWaiting })
    say('status', '')
    stay(room)
    const wanted = room.self.can.publish ? tracks : new Map()
    for (const [source, track] of tracks) if (!wanted.has(source)) track.stop()
    for (const [source, track] of wanted) await act(() => room.publish(source, track))
  } catch (error) {
    for (const track of tracks.values()) track.stop()
    tellEnd(error)
  }
}

function stay(room) {
  const stage = new Stage(room, { blocked: () => (byId('unblock').hidden = false) })
  const people = new People(room, act)
  const chat = new Chat(room, act)
  const bar = bindBar(room, { act, height })
  const show = () => {
    if (room.state === 'ended') return
    stage.show()
    people.show()
    chat.show()
    bar.show()
    byId('on-air').hidden = !room.air.broadcast
    byId('recorded').hidden = !room.air.recording
  }
  for (const event of ['participant', 'media', 'local', 'air', 'settings', 'waiting'])
    room.addEventListener(event, show)
  room.addEventListener('speaking', ({ detail }) => stage.speaking(detail.participantId, detail.speaking))
  room.addEventListener('trouble', ({ detail }) => trouble(detail.error))
  room.addEventListener('muted', ({ detail }) =>
    say('trouble', `A host turned off your ${detail.kind === 'audio' ? 'microphone' : 'camera'}.`),
  )
  room.addEventListener('role', ({ detail }) => {
    say('trouble', `Your role is now ${roleWords[detail.role].toLowerCase()}.`)
    show()
  })
  room.addEventListener('state', ({ detail: { state, error } }) => {
    if (state === 'ended') return tellEnd(error)
    if (state === 'waiting') return onWaiting(room.info)
    if (state === 'joined') view('room')
    say('status', state === 'reconnecting' ? 'The connection was lost. Reconnecting…' : '')
    show()
  })
  watchChoices((name) => (name === 'speaker' ? stage.turnToSpeaker() : bar.change(name)))
  byId('unblock').addEventListener('click', () => {
    byId('unblock').hidden = true
    stage.unblock()
  })
  bindKeys({ ...bar, toggleChat: (open) => chat.toggle(open) })
  moveChoices('setup-choices')
  byId('title').textContent = room.info.name
  document.title = room.info.name
  view('room')
  show()
}

/** @param {{ name?: string, role: string }} checked */
function offerLobby({ name, role }) {
  const { displayName, isForGuests } = invitation
  byId('as').textContent = displayName && !isForGuests ? `You join as ${displayName}.` : ''
  byId('who').hidden = !isForGuests
  byId('name').value = displayName
  byId('name').disabled = !isForGuests
  byId('enter-title').textContent = name ? `Join ${name}` : 'Join the room'
  document.title = name ?? 'Room'
  byId('lobby').classList.toggle('watching', role === 'viewer')
  view('lobby')
}

async function openLobby(role) {
  const lobby = new Lobby({ height, trouble })
  byId('enter').addEventListener('submit', (event) => {
    event.preventDefault()
    byId('join').disabled = true
    say('trouble', '')
    void enter(lobby.close())
  })
  if (role === 'viewer') return
  watchChoices((name) => name !== 'speaker' && lobby.change(name))
  await lobby.open()
}

byId('dismiss').addEventListener('click', () => say('trouble', ''))
byId('again').addEventListener('click', () => location.reload())
try {
  // The invitation is checked first, so that the browser asks for the camera only if it works.
  const checked = await invitation.check()
  offerLobby(checked)
  await openLobby(checked.role)
} catch (error) {
  tellEnd(error)
}
