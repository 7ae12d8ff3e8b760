import { z } from 'zod'
import { detectLanguage } from '#tasks/video/rules/captions/languages.ts'
import { Language } from '#tasks/video/rules/captions/own-captions.ts'
import { acceptedLanguages, type SpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'

/** Language of existing captions. `auto` names the track whose language Millrace detects. */
export const CaptionLanguage = z.union([z.literal(detectLanguage), Language])

/** Returns what is wrong with a language that the engine does not transcribe, after the name of the field. */
export function languageIssue(engine: SpeechEngine): string {
  const [first, ...others] = acceptedLanguages(engine).map((language) => `\`${language}\``)
  if (first === undefined) return 'cannot be transcribed, because the speech engine has no languages'
  return others.length === 0 ? `must be ${first}` : `must be one of ${[first, ...others].join(', ')}`
}
