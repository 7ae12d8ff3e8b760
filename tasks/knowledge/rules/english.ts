import { detectLanguage, detectLanguages } from '#lib/language/detect.ts'
import { detectConfiguration } from '#sql/knowledge/languages.ts'

/** True if a text is English, as far as its function words show. */
export const looksEnglish = (text: string): boolean => detectConfiguration(text) === 'english'

/** Returns the texts that are English. Short texts are judged by their function words. */
export async function filterEnglish<Item extends { text: string }>(
  items: readonly Item[],
  signal: AbortSignal,
): Promise<Item[]> {
  const languages = await detectLanguages(
    items.map(({ text }) => text),
    signal,
  )
  return items.filter(({ text }, i) => languages[i] === 'en' || (languages[i] === null && looksEnglish(text)))
}

/** True if a question is English, or too short to be of a certain language. */
export async function mayBeEnglish(question: string, signal: AbortSignal): Promise<boolean> {
  const configuration = detectConfiguration(question)
  if (configuration === 'english') return true
  const language = await detectLanguage(question, signal)
  return language === 'en' || (language === null && configuration === 'simple')
}

/** True if a text with this detected language is English, or too short to be of a certain language. */
export const isEnglish = (language: string | null, text: string): boolean =>
  language === 'en' || (language === null && ['english', 'simple'].includes(detectConfiguration(text)))
