import { toSpeaker } from './choices.js'
import { arrange } from './layout.js'

const initialsOf = (name) =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0].toUpperCase())
    .join('')

export class Stage {
  #room
  #element = document.getElementById('stage')
  #template = document.getElementById('tile-template')
  #tiles = new Map()
  #blocked
  #away = new Set()
  #watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) this.#away[isIntersecting ? 'delete' : 'add'](target)
    this.#arrange()
  })

  /** `blocked` is called if the browser requires a click before it plays audio. */
  constructor(room, { blocked }) {
    this.#room = room
    this.#blocked = blocked
    new ResizeObserver(() => this.#arrange()).observe(this.#element)
    document.addEventListener('visibilitychange', () => this.#arrange())
    for (const event of ['enterpictureinpicture', 'leavepictureinpicture'])
      this.#element.addEventListener(event, () => this.#arrange())
  }

  show() {
    const { self, participants, local, media } = this.#room
    const mine = new Map([...local].flatMap(([source, { track, muted }]) => (track && !muted ? [[source, track]] : [])))
    const shown = new Set()
    this.#person(shown, self, { tracks: mine, isSelf: true, silent: !mine.has('microphone') })
    for (const one of participants.values()) {
      const muted = new Set(one.tracks.filter((track) => track.muted).map(({ source }) => source))
      const tracks = new Map([...(media.get(one.participantId) ?? [])].filter(([source]) => !muted.has(source)))
      this.#person(shown, one, { tracks, silent: !tracks.has('microphone') })
    }
    for (const [key, tile] of this.#tiles)
      if (!shown.has(key)) {
        tile.querySelector('video').srcObject = null
        tile.remove()
        this.#tiles.delete(key)
        this.#watch.unobserve(tile)
        this.#away.delete(tile)
      }
    this.#arrange()
  }

  speaking(participantId, is) {
    this.#tiles.get(`${participantId} camera`)?.classList.toggle('speaking', is)
  }

  unblock() {
    for (const video of this.#element.querySelectorAll('video')) this.#play(video)
  }

  turnToSpeaker() {
    for (const video of this.#element.querySelectorAll('video')) void toSpeaker(video)
  }

  #person(shown, { participantId, displayName, role, hand }, { tracks, isSelf = false, silent }) {
    // Viewers have no tile, because there can be many. They are only in the list of people.
    if (role === 'viewer') return
    const name = isSelf ? `${displayName} (you)` : displayName
    const faces = ['microphone', 'camera'].flatMap((source) => tracks.get(source) ?? [])
    const hears = isSelf ? faces.filter(({ kind }) => kind === 'video') : faces
    const face = this.#tile(shown, `${participantId} camera`, { name, isSelf, tracks: hears })
    face.classList.toggle('silent', silent)
    face.classList.toggle('self', isSelf)
    face.classList.toggle('raised', Boolean(hand))
    face.querySelector('.initials').textContent = initialsOf(displayName)
    const screen = tracks.get('screen')
    if (screen) {
      const said = isSelf ? 'Your screen' : `${displayName}’s screen`
      this.#tile(shown, `${participantId} screen`, { name: said, isSelf, tracks: [screen] })
    }
  }

  #tile(shown, key, { name, isSelf, tracks }) {
    shown.add(key)
    let tile = this.#tiles.get(key)
    if (!tile) {
      tile = this.#template.content.cloneNode(true).firstElementChild
      const [participantId, source] = key.split(' ')
      Object.assign(tile.dataset, { participantId, source })
      tile.querySelector('video').muted = isSelf
      this.#tiles.set(key, tile)
      document.getElementById(source === 'screen' ? 'screens' : 'faces').append(tile)
      this.#watch.observe(tile)
    }
    tile.querySelector('.name').textContent = name
    this.#fill(tile, tracks)
    return tile
  }

  #fill(tile, tracks) {
    const video = tile.querySelector('video')
    const stream = video.srcObject ?? new MediaStream()
    for (const track of stream.getTracks()) if (!tracks.includes(track)) stream.removeTrack(track)
    for (const track of tracks) stream.addTrack(track)
    tile.classList.toggle('no-picture', !tracks.some(({ kind }) => kind === 'video'))
    if (tracks.length === 0) video.srcObject = null
    else if (!video.srcObject) {
      video.srcObject = stream
      void toSpeaker(video)
      this.#play(video)
    }
  }

  #play(video) {
    video.play().catch(({ name }) => name === 'NotAllowedError' && this.#blocked())
  }

  #arrange() {
    const tiles = [...this.#tiles.values()]
    const sizes = arrange(this.#element, tiles)
    for (const [tile, height] of sizes) {
      const { participantId, source } = tile.dataset
      const isSeen = isWatched(tile) || !(document.hidden || this.#away.has(tile))
      const layer = source === 'camera' ? layerFor(height) : 'high'
      if (participantId !== this.#room.self.participantId)
        this.#room.prefer(participantId, source, isSeen ? layer : 'none')
    }
  }
}

/** True if the video is in a picture-in-picture window, where it is visible even if its tile is not. */
const isWatched = (tile) => tile.querySelector('video') === document.pictureInPictureElement

/**
 * Returns the smallest layer with at least as many lines as are displayed. If there is none, returns the best layer.
 */
function layerFor(height) {
  const lines = height * Math.min(devicePixelRatio, 2)
  if (lines > 400) return 'high'
  return lines > 200 ? 'middle' : 'low'
}
