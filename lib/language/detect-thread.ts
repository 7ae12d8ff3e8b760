/** Worker thread of the language detection. Its data uses about 110 MB. */
import { eld } from 'eld/extrasmall'

/**
 * Returns the ISO 639-1 code of each text. `null` if no language is clear. English phrases such as "reset my password"
 * also resemble other languages, so a short text that resembles English nearly as much is unclear.
 */
export const work = (texts: readonly string[]): (string | null)[] =>
  texts.map((text) => {
    const found = eld.detect(text)
    if (!found.isReliable()) return null
    if (found.language === 'en' || text.length > shortText) return found.language
    const scores = found.getScores()
    return (scores.en ?? 0) > nearlyEnglish * (scores[found.language] ?? 0) ? null : found.language
  })

/** Number of UTF-16 units. */
const shortText = 32

const nearlyEnglish = 0.9
