const stopWords = new Set(
  `a an the and or but if then than of in on at to for from by with without about into over under as is are was were be been being am do does did
doing have has had having can could will would shall should may might must i you he she it we they me him her us them my your his its our
their this that these those there here what which who whom whose when where why how much many long often not no yes so too very just also
only any some all each more most other such own same both few please tell explain give know want need get take takes took
ja ei on see et kui ka oli ning või aga kas mis kes kus kuidas millal miks palju mitu ma sa ta me te nad selle seda need mida
der die das und oder aber ist sind war ein eine einen einem ich du er sie es wir ihr nicht mit von zu auf für wie was wer wo wann warum
le la les un une des et ou mais est sont de du dans pour sur avec que qui quoi comment quand pourquoi où
el los las una y o pero es son en por para con qué quién cómo cuándo dónde
и в на не что как это он она мы вы они но или для с по из от к у за о ли кто где когда почему сколько`
    .split(/\s+/)
    .filter(Boolean),
)

const words = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })

export function listWords(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]s?\b/gu, '')
  if (!unspaced.test(plain)) return plain.match(words) ?? []
  return [...segmenter.segment(plain)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}

export const listTerms = (text: string): string[] =>
  listWords(text).flatMap((word) => (stopWords.has(word) ? [] : [stemOf(word)]))

/** Number of letters in a stem. Most endings of inflected languages come after them. */
const stemLength = 7

function stemOf(word: string): string {
  const stem = /^[a-z]{4,}$/.test(word) ? withoutEnding(word) : word
  return stem.slice(0, stemLength)
}

/** Longer endings come before the endings that they contain. */
const endings = ['ing', 'edly', 'ed', 'ly']

function withoutEnding(word: string): string {
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^su])s$/, '$1')
  const ending = endings.find((each) => singular.endsWith(each) && /[aeiouy]/.test(singular.slice(0, -each.length)))
  const bare = ending ? singular.slice(0, -ending.length) : singular
  if (bare.length < 3) return singular
  return bare.replace(/([b-df-hj-kmnp-rtv-z])\1$/, '$1').replace(/e$/, '')
}
