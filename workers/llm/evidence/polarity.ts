import { listWords } from '#lib/terms.ts'

const negations = new Set(
  `not no never none nor neither cannot without nobody nothing don doesn didn isn aren wasn weren won can shouldn hasn haven
nicht nie niemals kein keine keinen keiner keinem keines ohne weder nichts niemand
pas jamais aucun aucune sans ni rien personne
nunca jamás ningún ninguna ninguno sin tampoco nada nadie
не нет никогда ни без нельзя никто ничего
ei mitte pole ära ilma keegi`
    .split(/\s+/)
    .filter((word) => word !== 'can'),
)

/** Start of an answer that does not negate the following sentence. */
const particle =
  /^\s{0,10}(?:(?:yes|no|ja|nein|oui|non|sí|si|да|нет|jah|ei)(?=[\s,.;:!–—-])(?! (?:one|more|longer|matter)\b))[\s,.;:!–—-]{1,10}/iu

export const removeLeadingParticle = (answer: string): string => answer.replace(particle, '')

export const isNo = (answer: string): boolean => /^\s{0,10}(?:no|nein|non|нет|ei)(?![\p{L}\p{N}])/iu.test(answer)

export const isNegated = (sentence: string): boolean =>
  listWords(sentence.replace(/n['’]t\b/giu, ' not')).some((word) => negations.has(word))

const opposites: readonly (readonly [string, string])[] = `open closed
allowed forbidden
allow forbid
allowed prohibited
free paid
before after
more less
minimum maximum
increased decreased
rises falls
included excluded
accepted rejected
accepted refused
first last
above below
bought sold
starts ends
early late
possible impossible
legal illegal
inside outside
cheaper dearer
higher lower
largest smallest
biggest smallest
oldest newest
required optional
won lost
succeeded failed
geöffnet geschlossen
erlaubt verboten
ouvert fermé
autorisé interdit
abierto cerrado
permitido prohibido
открыт закрыт
avatud suletud`
  .split('\n')
  .map((line) => line.split(' ') as [string, string])

const opposite = new Map<string, Set<string>>()
for (const [one, other] of opposites) {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    opposite.set(from, (opposite.get(from) ?? new Set()).add(to))
  }
}

export function findContradiction(text: string, evidence: string): string | undefined {
  const known = new Set(listWords(evidence))
  return listWords(text).find(
    (word) => !known.has(word) && [...(opposite.get(word) ?? [])].some((each) => known.has(each)),
  )
}
