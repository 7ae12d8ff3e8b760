const quietAfterMs = 3000

export const clock = (seconds) => {
  const whole = Math.floor(seconds || 0)
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return `${h ? `${h}:${String(m).padStart(2, '0')}` : m}:${String(s).padStart(2, '0')}`
}

export const inVideo = ({ currentTime: at, duration }) => {
  const to = Number.isFinite(duration) ? duration : 0
  return { from: 0, to, at, shown: clock(at), whole: ` / ${clock(to)}`, spoken: `${clock(at)} of ${clock(to)}` }
}

/** @typedef {{ from: number, to: number, at: number, shown: string, whole?: string, spoken: string }} Place */

/**
 * Sets up the controls in `root` until `signal` aborts. `place` returns the range that the seek bar shows. Returns the
 * actions, which keyboard shortcuts also use.
 *
 * @param {{ root: any, video: any, place?: (video: any) => Place, signal?: AbortSignal }} options
 */
export function controls({ root, video, place = inVideo, signal }) {
  const byId = (id) => root.getElementById(id)
  const [player, seek, volume, time] = ['player', 'seek', 'volume', 'time'].map(byId)
  const toggle = () => (video.paused ? video.play().catch(() => {}) : video.pause())
  const toggleMute = () => {
    video.muted = !video.muted
  }
  const toggleFull = () => {
    if (root.fullscreenElement) return void document.exitFullscreen()
    if (document.fullscreenEnabled) player.requestFullscreen().catch(() => {})
    else video.webkitEnterFullscreen?.()
  }

  const showTime = () => {
    const { from, to, at, shown, whole = '', spoken } = place(video)
    const { buffered } = video
    let loaded = at
    for (let i = 0; i < buffered.length; i++)
      if (buffered.start(i) <= at + 0.5) loaded = Math.max(loaded, buffered.end(i))
    const share = (seconds) => `${to > from ? Math.min(100, (100 * (seconds - from)) / (to - from)) : 0}%`
    seek.min = from
    seek.max = to
    seek.value = at
    seek.setAttribute('aria-valuetext', spoken)
    seek.style.setProperty('--done', share(at))
    seek.style.setProperty('--loaded', share(loaded))
    time.textContent = shown
    time.dataset.whole = whole
  }
  const showState = () => {
    const { paused, muted, volume: loudness } = video
    const silent = muted || loudness === 0
    player.classList.toggle('paused', paused)
    player.classList.toggle('playing', !paused)
    player.classList.toggle('loud', !silent)
    player.classList.toggle('muted', silent)
    byId('play').setAttribute('aria-label', paused ? 'Play' : 'Pause')
    byId('mute').setAttribute('aria-label', silent ? 'Unmute' : 'Mute')
    volume.value = muted ? 0 : loudness
    volume.style.setProperty('--done', `${muted ? 0 : 100 * loudness}%`)
  }

  const begin = () => {
    byId('start').hidden = true
    byId('bar').hidden = false
  }
  for (const event of ['timeupdate', 'durationchange', 'progress', 'seeking']) video.addEventListener(event, showTime)
  for (const event of ['play', 'pause', 'volumechange', 'ended']) video.addEventListener(event, showState)
  video.addEventListener('play', begin, { once: true })
  const waits = (is) => () => player.classList.toggle('waiting', is && !video.paused)
  for (const event of ['waiting', 'play']) video.addEventListener(event, waits(true))
  for (const event of ['playing', 'pause', 'ended', 'emptied']) video.addEventListener(event, waits(false))

  byId('start').addEventListener('click', () => {
    begin()
    byId('play').focus({ preventScroll: true })
    toggle()
  })
  byId('play').addEventListener('click', toggle)
  byId('mute').addEventListener('click', toggleMute)
  byId('full').addEventListener('click', toggleFull)
  byId('full').hidden = !document.fullscreenEnabled && !video.webkitEnterFullscreen
  const showFull = () => {
    byId('full').setAttribute('aria-label', root.fullscreenElement ? 'Leave full screen' : 'Full screen')
  }
  document.addEventListener('fullscreenchange', showFull, { signal })
  seek.addEventListener('input', () => {
    video.currentTime = Number(seek.value)
  })
  volume.addEventListener('input', () => {
    video.muted = false
    video.volume = Number(volume.value)
  })
  // If the controls are hidden, a touch only displays them. A mouse has already displayed them by moving.
  video.addEventListener('pointerup', ({ pointerType }) => {
    const isBare = player.classList.contains('bare')
    if (!isBare && (pointerType === 'mouse' || !wasQuiet)) toggle()
  })

  let timer
  let wasQuiet = false
  const isUsed = () =>
    player.querySelector('[role=menu]:not([hidden]), [role=dialog]:not([hidden]), #bar :focus-visible') !== null
  const hush = () => {
    if (!video.paused && !isUsed()) player.classList.add('quiet')
    else wake()
  }
  function wake() {
    wasQuiet = player.classList.contains('quiet')
    player.classList.remove('quiet')
    clearTimeout(timer)
    timer = setTimeout(hush, quietAfterMs)
  }
  for (const event of ['pointermove', 'pointerdown', 'keydown', 'focusin']) player.addEventListener(event, wake)
  for (const event of ['play', 'pause']) video.addEventListener(event, wake)
  signal?.addEventListener('abort', () => clearTimeout(timer))
  showState()
  return { toggle, toggleMute, toggleFull, showTime }
}
