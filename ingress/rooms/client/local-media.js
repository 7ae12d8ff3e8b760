import { capture } from './devices.js'
import { RoomError } from './room-error.js'

/** @import * as types from './types.js' */

export class LocalMedia {
  /**
   * Sources of media. A muted camera or screen has no track.
   *
   * @type {Map<types.Source, types.LocalTrack>}
   */
  sources = new Map()
  #room
  #options = new Map()

  /** `room` sends media and mute states. It is also notified of changes and errors. */
  constructor(room) {
    this.#room = room
  }

  async start(source, options = {}) {
    if (!this.#room.can()) throw new RoomError('forbidden', 'This role can only watch.')
    this.#options.set(source, options)
    await this.publish(source, await capture(source, options))
  }

  async publish(source, track) {
    const before = this.sources.get(source)
    this.sources.set(source, { track, muted: false })
    track.addEventListener('ended', () => this.#gone(source, track))
    this.#room.changed(source)
    try {
      await this.#send()
      if (before?.muted) await this.#room.tell([{ source, muted: false }])
    } catch (error) {
      // If the session was lost, the next session sends the track.
      if (error.code === 'network') return
      this.sources.delete(source)
      track.stop()
      this.#room.changed(source)
      throw error
    } finally {
      if (before?.track !== track) before?.track?.stop()
    }
  }

  async stop(source) {
    const local = this.sources.get(source)
    if (!local) return
    this.sources.delete(source)
    local.track?.stop()
    this.#room.changed(source)
    await this.#send()
  }

  async setMuted(source, muted) {
    const local = this.sources.get(source)
    if (!local || local.muted === muted) return
    if (!muted && !local.track) return await this.start(source, this.#options.get(source))
    local.muted = muted
    if (source !== 'microphone' && muted) {
      local.track?.stop()
      local.track = null
    } else if (local.track) local.track.enabled = !muted
    this.#room.changed(source)
    await this.#send()
    await this.#room.tell([{ source, muted }])
  }

  /** Mutes the sources because a host requested it. The gateway has already muted the tracks. */
  muteKind(kind) {
    const sources = kind === 'audio' ? ['microphone'] : ['camera', 'screen']
    for (const source of sources) this.setMuted(source, true).catch((error) => this.#room.failed(error))
  }

  async sendAgain() {
    if (!this.#room.can()) return this.release()
    await this.#send()
    await this.#room.tell(
      [...this.sources].filter(([, { muted }]) => muted).map(([source]) => ({ source, muted: true })),
    )
  }

  release() {
    for (const [source, { track }] of this.sources) {
      this.sources.delete(source)
      track?.stop()
      this.#room.changed(source)
    }
  }

  async #send() {
    await this.#room.send(new Map(this.sources))
  }

  /** Handles the end of a track: the user ended screen sharing, or a device was unplugged. */
  #gone(source, track) {
    if (this.sources.get(source)?.track !== track) return
    this.stop(source).catch((error) => this.#room.failed(error))
    if (source !== 'screen')
      this.#room.failed(new RoomError('device_lost', 'The device was disconnected.', { details: { source } }))
  }
}
