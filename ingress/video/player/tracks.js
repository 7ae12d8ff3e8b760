import { choose } from './menu.js'

const languageOf = ({ lang, name }) => lang || name

/**
 * Creates the menus of captions and audio tracks. `library` returns the library that plays the video. `wanted` is the
 * language of captions that the page requested. `changed` is called after each choice.
 */
export function tracksOf({ root, library, style, wanted, changed, signal }) {
  const more = { name: 'Style…', open: () => style(captions.button) }
  const captions = choose({ root, id: 'captions', pick: (index) => select('subtitleTrack', index), more, signal })
  const sound = choose({ root, id: 'sound', pick: (index) => select('audioTrack', index), signal })
  const texts = () => library()?.subtitleTracks ?? []
  const sounds = () => library()?.audioTracks ?? []
  let last = 0
  let isWanting = wanted !== null

  function select(property, index) {
    library()[property] = index
    changed()
  }

  return {
    chosen() {
      const { subtitleTrack = -1, audioTrack = -1 } = library() ?? {}
      return {
        captions: subtitleTrack >= 0 ? languageOf(texts()[subtitleTrack]) : null,
        sound: sounds()[audioTrack]?.name ?? null,
      }
    },
    offer() {
      const { subtitleTrack, audioTrack } = library()
      const named = texts().map(({ name, lang }, index) => ({ name: name || lang || 'On', index }))
      captions.offer(named.length > 0 ? [{ name: 'Off', index: -1 }, ...named] : [], subtitleTrack)
      if (subtitleTrack >= 0) last = subtitleTrack
      const heard = sounds().map(({ name }, index) => ({ name, index }))
      sound.offer(heard.length > 1 ? heard : [], audioTrack)
    },
    showWanted() {
      if (!isWanting || texts().length === 0) return
      isWanting = false
      const fits = ({ lang = '' }) => wanted === 'on' || lang === wanted || lang.startsWith(`${wanted}-`)
      const found = texts().findIndex(fits)
      if (found >= 0) select('subtitleTrack', found)
    },
    /** Captions as `{ language, name, url, chosen }`. */
    texts: () =>
      texts().map((track, index) => ({
        language: languageOf(track),
        name: track.name || languageOf(track),
        url: track.url,
        chosen: index === library().subtitleTrack,
      })),
    languages: () => [...new Set(texts().map(languageOf))],
    sounds: () => sounds().map(({ name }) => name),
    setCaptions(language) {
      const index = texts().findIndex((track) => languageOf(track) === language)
      if (library()) select('subtitleTrack', language === null ? -1 : index)
    },
    setSound(name) {
      select(
        'audioTrack',
        sounds().findIndex((track) => track.name === name),
      )
    },
    toggleCaptions() {
      if (texts().length > 0) select('subtitleTrack', library().subtitleTrack === -1 ? last : -1)
    },
  }
}
