/** A stand-in for the sender library of Google Cast with one device. It keeps what the player asks of it. */
export const castLibrary = `(() => {
  globalThis.castRequests = []
  const listeners = {}
  const tell = (type) => (listeners[type] ?? []).forEach((act) => act())
  let options
  globalThis.castPlayer = { isPaused: false, isConnected: true, currentTime: 0 }
  const context = {
    setOptions: (given) => { options = given },
    requestSession: async () => undefined,
    getCurrentSession: () => ({
      getCastDevice: () => ({ friendlyName: 'Living room' }),
      async loadMedia({ media, currentTime, autoplay }) {
        castRequests.push({ id: options.receiverApplicationId, contentId: media.contentId, contentType: media.contentType,
          title: media.metadata.title, currentTime, autoplay })
      },
    }),
    endCurrentSession() { castPlayer.isConnected = false; tell('connected') },
  }
  globalThis.cast = { framework: {
    CastContext: { getInstance: () => context },
    RemotePlayer: class { constructor() { return castPlayer } },
    RemotePlayerController: class {
      addEventListener(type, act) { (listeners[type] ??= []).push(act) }
      playOrPause() { castPlayer.isPaused = !castPlayer.isPaused; tell('paused') }
      seek() { castPlayer.soughtTo = castPlayer.currentTime; tell('time') }
    },
    RemotePlayerEventType: { CURRENT_TIME_CHANGED: 'time', IS_PAUSED_CHANGED: 'paused', IS_CONNECTED_CHANGED: 'connected' },
  } }
  globalThis.chrome = { cast: {
    AutoJoinPolicy: { ORIGIN_SCOPED: 'origin_scoped' },
    Image: class {},
    media: {
      MediaInfo: class { constructor(contentId, contentType) { Object.assign(this, { contentId, contentType }) } },
      LoadRequest: class { constructor(media) { this.media = media } },
      GenericMediaMetadata: class {},
      StreamType: { LIVE: 'LIVE', BUFFERED: 'BUFFERED' },
      HlsSegmentFormat: { FMP4: 'fmp4' },
      HlsVideoSegmentFormat: { FMP4: 'fmp4' },
    },
  } }
  __onGCastApiAvailable(true)
})()`
