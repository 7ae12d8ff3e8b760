export class Subscriber {
  #link
  #iceServers
  #lost
  #changed
  #connection
  #turn = Promise.resolve()
  /** The track and its `mid`, by `participantId source`. */
  #received = new Map()
  #preferred
  #told = new Map()
  #isTelling = false

  /**
   * `preferred` contains the layers by `participantId source`. `changed` is called with `(participantId, source,
   * track)`. The track is null when it has ended.
   */
  constructor({ link, iceServers, preferred, lost, changed }) {
    this.#preferred = preferred
    this.#link = link
    this.#iceServers = iceServers
    this.#lost = lost
    this.#changed = changed
  }

  /** Processes offers one after the other. */
  take(offer) {
    this.#turn = this.#turn.then(() => this.#answer(offer)).catch(() => this.#lost())
  }

  choose() {
    if (this.#isTelling) return
    this.#isTelling = true
    queueMicrotask(() => this.#tellLayers())
  }

  stats() {
    return this.#connection?.getStats()
  }

  close() {
    this.#connection?.close()
    for (const key of this.#received.keys()) this.#changed(...key.split(' '), null)
    this.#received.clear()
  }

  async #answer({ sdp, tracks }) {
    const connection = this.#open()
    await connection.setRemoteDescription({ type: 'offer', sdp })
    await connection.setLocalDescription()
    this.#link.tell({ type: 'answer', sdp: connection.localDescription.sdp })
    this.#compare(connection, tracks)
    // If a stream replaced another one, all preferences must be sent again.
    this.#told.clear()
    this.#tellLayers()
  }

  #compare(connection, tracks) {
    const byMid = new Map(connection.getTransceivers().map((one) => [one.mid, one]))
    const now = new Map()
    for (const { mid, participantId, source } of tracks) {
      const transceiver = byMid.get(mid)
      if (transceiver?.currentDirection === 'recvonly')
        now.set(`${participantId} ${source}`, { mid, track: transceiver.receiver.track })
    }
    const before = this.#received
    this.#received = now
    for (const key of before.keys()) if (!now.has(key)) this.#changed(...key.split(' '), null)
    for (const [key, { track }] of now) if (before.get(key)?.track !== track) this.#changed(...key.split(' '), track)
  }

  #tellLayers() {
    this.#isTelling = false
    const tracks = []
    for (const [key, { mid }] of this.#received) {
      const layer = this.#preferred.get(key)
      const known = `${key} ${layer}`
      if (!layer || this.#told.get(mid) === known) continue
      this.#told.set(mid, known)
      tracks.push({ mid, layer })
    }
    if (tracks.length > 0) this.#link.tell({ type: 'layers', tracks })
  }

  #open() {
    if (this.#connection) return this.#connection
    const connection = new RTCPeerConnection({ iceServers: this.#iceServers, bundlePolicy: 'max-bundle' })
    connection.addEventListener('icecandidate', ({ candidate }) =>
      this.#link.tell({ type: 'candidate', connection: 'subscriber', candidate: candidate?.toJSON() ?? null }),
    )
    connection.addEventListener('connectionstatechange', () => {
      if (connection.connectionState === 'failed') this.#lost()
    })
    this.#connection = connection
    return connection
  }
}
