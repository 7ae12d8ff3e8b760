import { detectLanguages } from '#lib/language/detect.ts'

/** Text search configuration of Postgres by ISO 639-1 code. */
const configurations: Readonly<Record<string, string>> = {
  ...{ ar: 'arabic', ca: 'catalan', da: 'danish', de: 'german', el: 'greek', en: 'english', es: 'spanish' },
  ...{ et: 'estonian', eu: 'basque', fi: 'finnish', fr: 'french', hi: 'hindi', hu: 'hungarian', hy: 'armenian' },
  ...{ it: 'italian', lt: 'lithuanian', ms: 'indonesian', nl: 'dutch', no: 'norwegian', pt: 'portuguese' },
  ...{ ro: 'romanian', ru: 'russian', sr: 'serbian', sv: 'swedish', ta: 'tamil', tr: 'turkish' },
}

/**
 * Function words by text search configuration. Most sentences of a language contain one of its words and few of other
 * languages.
 */
const functionWords = {
  danish: 'og i det er en til af den ikke på med for der de et som han hun jeg vi kan fra men var hvor hvad hvem',
  dutch:
    'de het een en van is dat die niet op te met voor zijn er aan ook als bij naar door maar wordt hoe wat wie waar',
  english:
    'the is are was of to and in for with that it on not be this within from by how what which who does when where can',
  estonian: 'ja on ei ning või kui et see ka oma aga kuni pärast jooksul mitte kas mis kes kus kuidas millal palju',
  finnish: 'ja on ei se että tai kun ovat mutta oli myös joka sen ole kuin mitä missä kuka milloin kuinka',
  french:
    'le la les est sont et des du une dans pour pas que qui sur au aux avec par ne se ce quel quelle combien où quand',
  german: 'der die das ist sind und nicht mit von für den dem ein eine auf im zu wird wie was wer wo wann bei am des',
  hungarian: 'a az és hogy nem is egy van meg de ez csak volt mint már vagy mi ki hol mikor mennyi',
  indonesian: 'yang dan di ini itu dengan untuk tidak dari pada adalah ke akan dalam oleh atau apa siapa bagaimana',
  italian: 'il lo la gli e di che è un una per non con sono del della nel alla da si quanto quale chi dove quando come',
  lithuanian: 'ir yra kad ne su iš į tai bet ar kaip buvo kas kur kada nuo po už',
  norwegian: 'og i det er en til av den ikke på med for de et som han hun jeg vi kan fra men var hvor hva hvem',
  portuguese:
    'o os as e de que do da em um uma para não com no na por se é são dos das ao qual quem onde quando quanto como',
  romanian: 'și în de la cu nu este un o pe că din pentru sunt care mai a fi al cine unde când cât cum',
  russian: 'и в на не с по из для это что как от у за к до или кто где когда сколько при',
  serbian: 'и је у да на се за од су са није као ко где када',
  spanish: 'el los las es son y de una en para por que con del se al su no un cuánto cuál quién dónde cuándo cómo',
  swedish: 'och i det är en till av den inte på med för de ett som han hon jag vi kan från men var hur vad vem',
  turkish: 've bir bu için ile de da olarak daha çok ne kadar gibi değil olan en kim nerede nasıl hangi',
} as const

/** Scripts that are used by one language only, or almost only. */
const scripts: readonly (readonly [language: string, script: RegExp])[] = [
  ['arabic', /\p{Script=Arabic}/u],
  ['armenian', /\p{Script=Armenian}/u],
  ['greek', /\p{Script=Greek}/u],
  ['hindi', /\p{Script=Devanagari}/u],
  ['tamil', /\p{Script=Tamil}/u],
  ['yiddish', /\p{Script=Hebrew}/u],
]

const languagesOf = new Map<string, string[]>()
for (const [language, words] of Object.entries(functionWords)) {
  for (const word of words.split(' ')) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language])
}

const detectedCharacters = 2_000

/**
 * Returns the text search configuration of each text by its language. Returns `simple` if the language has none. If the
 * language is unclear, function words and the script decide.
 */
export async function detectConfigurations(texts: readonly string[]): Promise<string[]> {
  const beginnings = texts.map((text) => text.slice(0, detectedCharacters))
  const languages = await detectLanguages(beginnings)
  return beginnings.map((text, i) => {
    const language = languages[i] ?? null
    return language === null ? detectConfiguration(text) : (configurations[language] ?? 'simple')
  })
}

/**
 * Returns the text search configuration for a text by its function words and script only. Returns `simple` if neither
 * is clear.
 */
export function detectConfiguration(text: string): string {
  const beginning = text.slice(0, detectedCharacters).toLowerCase()
  const counts = new Map<string, number>()
  for (const word of beginning.split(/[^\p{L}\p{M}]/u)) {
    for (const language of languagesOf.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  const [first, second] = [...counts].sort(([, one], [, other]) => other - one)
  if (first && first[1] > (second?.[1] ?? 0)) return first[0]
  return scripts.find(([, script]) => script.test(beginning))?.[0] ?? first?.[0] ?? 'simple'
}
