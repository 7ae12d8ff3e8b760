/** Languages of Whisper models: code of the model, and names that services return instead of codes. */
const codes =
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'

/** Other names of languages that Whisper models and services use. */
const otherNames: Readonly<Record<string, string>> = {
  castilian: 'es',
  flemish: 'nl',
  'haitian creole': 'ht',
  haitian: 'ht',
  letzeburgesch: 'lb',
  mandarin: 'zh',
  moldavian: 'ro',
  moldovan: 'ro',
  myanmar: 'my',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
  valencian: 'ca',
}

/** Value of a request for captions in the language that the engine detects. */
export const detectLanguage = 'auto'

/** Language of captions in which the engine heard no words (BCP 47). */
export const noLanguage = 'und'

export const canonicalLanguage = (tag: string): string | undefined => {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

const ofModel = new Map(codes.split(' ').map((code) => [canonicalLanguage(code) as string, code]))

/** Languages that every multilingual Whisper model knows, as BCP 47 tags. `jw` and `tl` of the models are `jv` and `fil`. */
export const whisperLanguages: readonly string[] = [...ofModel.keys()]

/** Returns the code that Whisper models use for a language. */
export const whisperCode = (language: string): string => ofModel.get(language) ?? language

const englishNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' })

export const languageName = (language: string): string =>
  language === noLanguage ? 'No speech' : (englishNames.of(language) ?? language)

const byName = new Map([
  ...whisperLanguages.map((language) => [languageName(language).toLowerCase(), language] as const),
  ...Object.entries(otherNames).map(([name, code]) => [name, canonicalLanguage(code) as string] as const),
])

/** Returns the BCP 47 tag of a language that an engine returned as a name or as a code, or `null` if it is unknown. */
export function readLanguage(answer: string | null | undefined): string | null {
  const given = (answer ?? '').trim().replaceAll('_', '-')
  const named = byName.get(given.toLowerCase())
  if (named) return named
  if (!/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/.test(given)) return null
  return canonicalLanguage(given) ?? null
}
