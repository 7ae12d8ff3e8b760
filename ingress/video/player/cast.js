// Google Cast. The vendor's library is loaded when the viewer presses the button for the first time.
import { addPanelStyle, buttonOf } from './panel-style.js'

const library = 'https://www.gstatic.com/cv/js/sender/v1/cast_sender.js?loadCastFramework=1'
const waitMs = 15_000
const noticeMs = 6000

let loading

function loadLibrary() {
  loading ??= new Promise((/** @type {(value?: unknown) => void} */ done, fail) => {
    if (globalThis.cast?.framework) return void done()
    const timer = setTimeout(() => fail(new Error('the library did not answer')), waitMs)
    globalThis.__onGCastApiAvailable = (isAvailable) => {
      clearTimeout(timer)
      if (isAvailable) done()
      else fail(new Error('the browser cannot cast'))
    }
    const script = document.createElement('script')
    script.src = library
    script.addEventListener('error', () => fail(new Error('the library could not be loaded')))
    document.head.append(script)
  }).catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

function mediaOf({ source, video, option, stage }) {
  const { media, Image } = chrome.cast
  const info = new media.MediaInfo(source, 'application/x-mpegurl')
  info.streamType = stage.playback.isLive() ? media.StreamType.LIVE : media.StreamType.BUFFERED
  info.hlsSegmentFormat = media.HlsSegmentFormat.FMP4
  info.hlsVideoSegmentFormat = media.HlsVideoSegmentFormat.FMP4
  info.metadata = new media.GenericMediaMetadata()
  info.metadata.title = option('title')
  if (video.poster) info.metadata.images = [new Image(video.poster)]
  const request = new media.LoadRequest(info)
  request.autoplay = true
  if (!stage.playback.isLive()) request.currentTime = video.currentTime
  return request
}

/** Casts the video. While a device plays, the controls of the player control the device. */
export function castOf(shared) {
  const { root, video, option, say, signal } = shared
  addPanelStyle(root)
  const button = root.getElementById('cast')
  const notice = document.createElement('div')
  notice.id = 'casting'
  notice.hidden = true
  const words = document.createElement('p')
  words.setAttribute('role', 'status')
  const pause = buttonOf('Pause', () => remote?.controller.playOrPause())
  const stop = buttonOf('Stop casting', () => cast.framework.CastContext.getInstance().endCurrentSession(true))
  notice.append(words, pause, stop)
  root.getElementById('player').append(notice)
  let remote
  let timer

  function tell(text) {
    clearTimeout(timer)
    notice.hidden = false
    words.textContent = text
    for (const one of [pause, stop]) one.hidden = !remote
    if (!remote) timer = setTimeout(() => (notice.hidden = true), noticeMs)
  }
  async function begin() {
    await loadLibrary()
    const context = cast.framework.CastContext.getInstance()
    const { ORIGIN_SCOPED } = chrome.cast.AutoJoinPolicy
    context.setOptions({ receiverApplicationId: option('cast'), autoJoinPolicy: ORIGIN_SCOPED })
    const refused = await context.requestSession()
    if (refused) throw refused
    const session = context.getCurrentSession()
    await session.loadMedia(mediaOf(shared))
    control(session.getCastDevice().friendlyName)
  }
  function control(device) {
    const { RemotePlayer, RemotePlayerController, RemotePlayerEventType: type } = cast.framework
    const player = new RemotePlayer()
    const controller = new RemotePlayerController(player)
    remote = { player, controller, at: video.currentTime }
    video.pause()
    controller.addEventListener(type.CURRENT_TIME_CHANGED, () => {
      if (remote && player.currentTime > 0) remote.at = player.currentTime
    })
    controller.addEventListener(type.IS_PAUSED_CHANGED, () => {
      pause.textContent = player.isPaused ? 'Play' : 'Pause'
    })
    controller.addEventListener(type.IS_CONNECTED_CHANGED, () => {
      if (!player.isConnected) end()
    })
    button.setAttribute('aria-pressed', 'true')
    tell(`Playing on ${device}`)
    say('cast', { device })
  }
  function end() {
    if (!remote) return
    const { at } = remote
    remote = undefined
    notice.hidden = true
    button.setAttribute('aria-pressed', 'false')
    if (Number.isFinite(video.duration)) video.currentTime = at
    say('cast', { device: null })
  }
  video.addEventListener('play', () => {
    if (!remote) return
    video.pause()
    if (remote.player.isPaused) remote.controller.playOrPause()
  })
  video.addEventListener('seeked', () => {
    if (!remote) return
    remote.at = video.currentTime
    remote.player.currentTime = remote.at
    remote.controller.seek()
  })
  signal.addEventListener('abort', () => clearTimeout(timer))

  return {
    async toggle() {
      if (remote) return void cast.framework.CastContext.getInstance().endCurrentSession(true)
      try {
        await begin()
      } catch (error) {
        const reason = error?.code ?? error?.message ?? error
        if (reason === 'cancel') return
        console.warn(`mill-player: the video could not be cast: ${reason}`)
        tell('Casting is not available. Check that your device is on the same network.')
      }
    },
  }
}
