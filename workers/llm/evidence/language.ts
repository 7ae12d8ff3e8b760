import { listWords } from '#lib/terms.ts'

/** Function words that are frequent in one language and rare in the other languages. */
const marks = {
  en: 'the is are was of to and in for with that it on not be this within from',
  de: 'der die das ist sind und nicht mit von für den dem ein eine auf im zu wird',
  fr: 'le la les est sont et des du une dans pour pas que qui sur au aux avec',
  es: 'el los las es son y de una en para por que con del se al su',
  ru: 'и в на не с по из для это что как от у за к до',
  et: 'ja on ei ning või kui et see ka oma aga kuni pärast jooksul mitte',
} as const

export type Language = keyof typeof marks

const languagesOf = new Map<string, Language[]>()
for (const language of Object.keys(marks) as Language[]) {
  for (const word of marks[language].split(' ')) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language])
}

export function detectLanguage(text: string): Language | undefined {
  const counts = new Map<Language, number>()
  for (const word of listWords(text)) {
    for (const language of languagesOf.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  const [first, second] = [...counts].sort(([, one], [, other]) => other - one)
  if (first && first[1] > (second?.[1] ?? 0)) return first[0]
  return /\p{Script=Cyrillic}/u.test(text) ? 'ru' : undefined
}
