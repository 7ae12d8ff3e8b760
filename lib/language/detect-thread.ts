/** Worker thread of the language detection. Its data uses about 90 MB. */
import { eld } from 'eld/extrasmall'

/** Returns the ISO 639-1 code of each text. `null` if no language is clear. */
export const work = (texts: readonly string[]): (string | null)[] =>
  texts.map((text) => {
    const found = eld.detect(text)
    return found.isReliable() ? found.language : null
  })
