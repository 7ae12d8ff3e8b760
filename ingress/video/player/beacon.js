// Reports the quality of a view. Beacons contain totals since the start, so no data is lost with a lost beacon.
const everyMs = 30_000
const idBytes = 16

/** Longest step in seconds between two positions of continuous playback. */
const longestStep = 2

const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(idBytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Returns the origin and the path of the page with the player. The player page in an iframe returns the page that
 * contains it, as far as the browser shows it.
 */
function pageOf() {
  const isEmbed = location.origin === new URL(import.meta.url).origin && location.pathname.endsWith('/embed')
  const text = isEmbed ? document.referrer : location.href
  if (!text.startsWith('http')) return
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`.slice(0, 1000)
}

/** Returns the tenths of the video that were played, as a function. */
function tenthsOf(video) {
  const played = new Set()
  let last
  function look() {
    const { currentTime: at, duration, paused, seeking } = video
    if (paused || seeking || !Number.isFinite(duration) || duration <= 0) last = undefined
    else {
      const step = last === undefined ? 0 : at - last
      const from = step > 0 && step < longestStep * video.playbackRate ? last : at
      const tenth = (seconds) => Math.min(9, Math.floor((10 * seconds) / duration))
      for (let one = tenth(from); one <= tenth(at); one++) played.add(one)
      last = at
    }
  }
  video.addEventListener('timeupdate', look)
  return () => {
    look()
    return [...played].sort((a, b) => a - b)
  }
}

/** Measures playback from the viewer's first play command until `signal` aborts. Without a token, nothing is sent. */
export function measure({ video, source, token, signal }) {
  const collector = new URL('/v1/stream/collect', source).href
  const viewId = randomId()
  const spent = { idle: 0, starting: 0, playing: 0, waiting: 0, seeking: 0 }
  const errors = new Map()
  const tenths = tenthsOf(video)
  const page = pageOf()
  let state = 'idle'
  let since = performance.now()
  let wishedAt
  let startup
  let rebuffers = 0
  let bits = 0
  let bitrate = 0
  let lastLevel
  let switches = 0
  let sequence = 0
  let told = ''

  function become(next) {
    const now = performance.now()
    spent[state] += now - since
    if (state === 'playing') bits += (bitrate * (now - since)) / 1000
    since = now
    state = next
  }
  const on = (event, act) => video.addEventListener(event, act)
  on('play', () => {
    wishedAt ??= performance.now()
    become(startup === undefined ? 'starting' : state)
  })
  const plays = () => {
    if (wishedAt === undefined || video.paused) return
    startup ??= performance.now() - wishedAt
    become('playing')
  }
  on('playing', plays)
  on('seeking', () => become(startup === undefined || video.paused ? state : 'seeking'))
  on('seeked', () => {
    if (startup !== undefined && video.readyState > 2) plays()
  })
  on('waiting', () => {
    if (state !== 'playing' || video.seeking) return
    rebuffers++
    become('waiting')
  })
  for (const event of ['pause', 'ended']) on(event, () => become('idle'))

  function account() {
    become(state)
    const frames = video.getVideoPlaybackQuality?.()
    const seconds = (ms) => Math.round(ms) / 1000
    return {
      ...(startup === undefined ? {} : { startupSeconds: seconds(Math.min(startup, 3_600_000)) }),
      playSeconds: seconds(spent.playing),
      rebufferSeconds: seconds(spent.waiting),
      rebuffers,
      meanBitrate: spent.playing > 0 ? Math.round((bits * 1000) / spent.playing) : 0,
      decodedFrames: frames?.totalVideoFrames ?? 0,
      droppedFrames: frames?.droppedVideoFrames ?? 0,
      switches,
      errors: [...errors.values()],
      tenths: tenths(),
      ...(page === undefined ? {} : { page }),
    }
  }

  function send() {
    if (!token || (wishedAt === undefined && errors.size === 0)) return
    const now = account()
    const text = JSON.stringify(now)
    if (text === told) return
    told = text
    navigator.sendBeacon(collector, JSON.stringify({ token, viewId, sequence: ++sequence, ...now }))
  }
  const sending = setInterval(send, everyMs)
  addEventListener('pagehide', send, { signal })
  const sendHidden = () => {
    if (document.visibilityState === 'hidden') send()
  }
  document.addEventListener('visibilitychange', sendHidden, { signal })
  signal.addEventListener('abort', () => {
    clearInterval(sending)
    send()
  })

  return {
    level(index, bitsPerSecond) {
      become(state)
      if (lastLevel !== undefined && lastLevel !== index) switches++
      lastLevel = index
      bitrate = bitsPerSecond
    },
    error(code, fatal) {
      if (!code) return
      const key = `${code} ${fatal}`
      const count = Math.min(10_000, (errors.get(key)?.count ?? 0) + 1)
      errors.set(key, { code, fatal, count })
      if (fatal) send()
    },
  }
}
