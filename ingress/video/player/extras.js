// Parts of the player that most viewers never use. Their files are loaded when they are needed.
import { remoteOf } from './remote.js'

const load = (name) => import(`./${name}.js`)

const warn = (error) => console.warn(`mill-player: a part of the player could not be loaded: ${error.message}`)

/**
 * Sets up casting, the transcript, stored positions and the list of keys. `stage` has the current playback.
 */
export function extrasOf({ root, host, video, source, option, stage, say, signal }) {
  const [transcriptButton, castButton] = ['transcript', 'cast'].map((id) => root.getElementById(id))
  const shared = { root, host, video, source, option, stage, say, signal }
  const once = (name, begin) => {
    let loading
    return () => {
      loading ??= load(name).then(begin, (error) => {
        loading = undefined
        warn(error)
      })
      return loading
    }
  }
  const openHelp = once('help', ({ helpOf }) => helpOf(shared))
  const openTranscript = once('transcript', ({ transcriptOf }) => transcriptOf(shared))
  const openCast = once('cast', ({ castOf }) => castOf(shared))
  const openResume = once('resume', ({ resumeOf }) => resumeOf(shared))
  let isOpened = false

  transcriptButton.addEventListener('click', async () => (await openTranscript())?.toggle())
  castButton.addEventListener('click', async () => (await openCast())?.toggle())
  remoteOf(shared)

  function offer() {
    transcriptButton.hidden = option('transcript') === null || stage.playback.texts().length === 0
    if (transcriptButton.hidden || option('transcript') !== 'open' || isOpened) return
    isOpened = true
    void openTranscript().then((panel) => panel?.open())
  }
  function show() {
    // The vendor's library works only in browsers with Chromium.
    castButton.hidden = option('cast') === null || !source || !('chrome' in globalThis)
    if (option('resume') !== null && source) void openResume()
    offer()
  }
  show()

  return {
    names: ['cast', 'resume', 'transcript'],
    show,
    offer,
    help: () => void openHelp().then((dialog) => dialog?.open()),
  }
}
