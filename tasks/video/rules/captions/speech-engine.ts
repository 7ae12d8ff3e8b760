import type { Db } from '#sql/db.ts'
import * as speechEngines from '#sql/video/speech-engines.ts'
import { detectLanguage } from './languages.ts'

/** Engine of an installation whose workers have announced none yet. It is the default of the settings. */
const embedded: speechEngines.Engine = { engine: 'pocketsphinx', languages: ['en'], detects: false }

/** Engines whose words are only good enough for a search. */
const forSearchOnly: ReadonlySet<string> = new Set([embedded.engine])

export interface SpeechEngine extends speechEngines.Engine {
  forSearchOnly: boolean
}

/**
 * Returns the engine that transcribes new requests. If workers have different engines, any of them can receive the
 * request. So only languages that all of them support are listed.
 */
export async function getSpeechEngine(db: Db): Promise<SpeechEngine> {
  const [first = embedded, ...others] = await speechEngines.listCurrent(db)
  return {
    engine: first.engine,
    languages: first.languages.filter((language) => others.every(({ languages }) => languages.includes(language))),
    detects: [first, ...others].every(({ detects }) => detects),
    forSearchOnly: isForSearchOnly(first.engine),
  }
}

/** True if captions of this engine should not be published without corrections. */
export const isForSearchOnly = (engine: string): boolean => forSearchOnly.has(engine)

/** Returns the values of a request that the engine accepts. */
export const acceptedLanguages = ({ languages, detects }: speechEngines.Engine): string[] => [
  ...(detects ? [detectLanguage] : []),
  ...languages,
]
