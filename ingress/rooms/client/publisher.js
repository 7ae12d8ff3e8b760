/** Simulcast layers of the camera. Janus expects the best layer first. */
const layers = [
  { rid: 'h', maxBitrate: 1_500_000 },
  { rid: 'm', scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { rid: 'l', scaleResolutionDownBy: 4, maxBitrate: 150_000 },
]
const encodings = {
  camera: layers,
  screen: [{ maxBitrate: 2_500_000, maxFramerate: 15 }],
  microphone: [{ maxBitrate: 48_000 }],
}

const kindOf = (source) => (source === 'microphone' ? 'audio' : 'video')

export class Publisher {
  #link
  #iceServers
  #lost
  #connection
  #transceivers = new Map()
  #turn = Promise.resolve()

  constructor({ link, iceServers, lost }) {
    this.#link = link
    this.#iceServers = iceServers
    this.#lost = lost
  }

  /** Sends exactly these sources, each as `{ track, muted }`. Changes run one after the other. */
  send(wanted) {
    const done = this.#turn.then(() => this.#bring(wanted))
    this.#turn = done.catch(() => {})
    return done
  }

  midOf(source) {
    return this.#isSent(source) ? this.#transceivers.get(source).mid : undefined
  }

  stats() {
    return this.#connection?.getStats()
  }

  close() {
    this.#connection?.close()
    this.#connection = undefined
    this.#transceivers.clear()
  }

  #isSent(source) {
    return this.#transceivers.get(source)?.direction === 'sendonly'
  }

  async #bring(wanted) {
    if (wanted.size === 0) return await this.#stopAll()
    let changed = false
    for (const source of Object.keys(encodings)) {
      const local = wanted.get(source)
      if (Boolean(local) !== this.#isSent(source)) changed = true
      await this.#place(source, local)
    }
    if (changed) await this.#negotiate()
  }

  async #stopAll() {
    if (!this.#connection) return
    this.close()
    await this.#link.ask({ type: 'unpublish' })
  }

  async #place(source, local) {
    const transceiver = this.#transceivers.get(source)
    if (transceiver) {
      transceiver.direction = local ? 'sendonly' : 'inactive'
      await transceiver.sender.replaceTrack(local?.track ?? null)
    } else if (local) {
      const how = { direction: 'sendonly', sendEncodings: encodings[source].map((one) => ({ ...one })) }
      this.#transceivers.set(source, this.#open().addTransceiver(local.track ?? kindOf(source), how))
    }
  }

  #open() {
    if (this.#connection) return this.#connection
    const connection = new RTCPeerConnection({ iceServers: this.#iceServers, bundlePolicy: 'max-bundle' })
    connection.addEventListener('icecandidate', ({ candidate }) =>
      this.#link.tell({ type: 'candidate', connection: 'publisher', candidate: candidate?.toJSON() ?? null }),
    )
    connection.addEventListener('connectionstatechange', () => {
      if (connection.connectionState === 'failed') this.#lost()
    })
    this.#connection = connection
    return connection
  }

  async #negotiate() {
    const connection = this.#connection
    await connection.setLocalDescription()
    const tracks = [...this.#transceivers]
      .filter(([source]) => this.#isSent(source))
      .map(([source, { mid }]) => ({ mid, kind: kindOf(source), source }))
    const { sdp } = await this.#link.ask({ type: 'publish', sdp: connection.localDescription.sdp, tracks })
    if (connection.signalingState !== 'closed') await connection.setRemoteDescription({ type: 'answer', sdp })
  }
}
