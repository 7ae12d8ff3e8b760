import { fastest, slowest } from './options.js'

const mostChapters = 500
const fault = (field, rule) => new TypeError(`${field} must be ${rule}`)

function number(field, value, least, most) {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw fault(field, most === Infinity ? `a number of at least ${least}` : `a number from ${least} to ${most}`)
}

function oneOf(field, value, offered) {
  if (offered.includes(value)) return value
  throw fault(field, `one of ${offered.map((one) => JSON.stringify(one)).join(', ')}`)
}

function chapter(value, i) {
  const start = number(`chapters[${i}].start`, value?.start, 0, Infinity)
  const { title } = value
  if (typeof title !== 'string' || title.trim() === '' || title.length > 200)
    throw fault(`chapters[${i}].title`, 'a text of 1 to 200 characters')
  return { start, title: title.trim() }
}

/** Commands by name. Each gets the stage and one value, and throws a `TypeError` with the name of an invalid value. */
export const commands = {
  play: async ({ video }) => {
    await video.play()
  },
  pause: ({ video }) => video.pause(),
  seek({ video }, seconds) {
    const to = number('seconds', seconds, 0, Infinity)
    video.currentTime = Math.min(to, video.duration || to)
  },
  setVolume({ video }, volume) {
    video.volume = number('volume', volume, 0, 1)
  },
  setMuted({ video }, muted) {
    video.muted = oneOf('muted', muted, [true, false])
  },
  setSpeed: (stage, speed) => stage.setSpeed(number('speed', speed, slowest, fastest)),
  setQuality: ({ playback }, quality) =>
    playback.setQuality(oneOf('quality', quality, ['auto', ...playback.qualities()])),
  setCaptions: ({ playback }, language) =>
    playback.setCaptions(oneOf('language', language, [null, ...playback.languages()])),
  setSound: ({ playback }, sound) => playback.setSound(oneOf('sound', sound, playback.sounds())),
  goLive({ playback }) {
    if (!playback.isLive()) throw new TypeError('goLive is only available for broadcasts.')
    playback.toEdge()
  },
  setChapters(stage, chapters) {
    if (!Array.isArray(chapters) || chapters.length > mostChapters)
      throw fault('chapters', `a list of up to ${mostChapters} chapters`)
    stage.setChapters(chapters.map(chapter))
  },
  state: (stage) => stage.state(),
}
