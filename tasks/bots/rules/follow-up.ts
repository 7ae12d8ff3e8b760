import { listTerms, listWords } from '#lib/terms.ts'
import { detectConfiguration } from '#sql/knowledge/languages.ts'

/** Words that refer to something said before, by text search configuration. */
const references: Readonly<Record<string, string>> = {
  english: 'it its that this they them their those these he him his she her one ones',
  german: 'es das dies dieser diese dieses er sie ihn ihm ihr ihnen davon dafür dazu damit dort',
  french: 'il elle ils elles ça cela ce celui celle ceux lui leur y en là',
  spanish: 'él ella ellos ellas eso esto ello lo la los las ese esa allí',
  russian: 'он она оно они его её их это этот эта эти там',
  estonian: 'see seda selle need nende ta tema nad neid seal',
}

/** First words of a message that continues the message before. */
const connections = new Set('and also what how und et y e и а ja ning'.split(' '))

/** Maximum number of words of a message that starts with a connecting word and needs the message before. */
const mostConnected = 6

const referencesOf = new Map(Object.entries(references).map(([name, words]) => [name, new Set(words.split(' '))]))

/**
 * True if a message cannot stand alone: it refers to something said before, and names no subject of its own before the
 * reference. For example, "How much is that?" and "And to Latvia?", but not "Where are you?".
 */
export function isFollowUp(message: string): boolean {
  const configuration = detectConfiguration(message)
  const known = referencesOf.get(configuration) ?? referencesOf.get('english')
  const words = listWords(message)
  const at = words.findIndex((word) => known?.has(word))
  if (at >= 0 && listTerms(words.slice(0, at).join(' ')).length === 0 && !isDeterminer(words, at)) return true
  const isConnected = connections.has(words[0] ?? '') && !startsQuestion(words)
  return isConnected && words.length <= mostConnected
}

const determiners = new Set('that this those these his her their its das dies dieser diese dieses'.split(' '))

/** True if the word belongs to a noun, such as in "Is this order paid?", but not in "Is this paid?". */
const isDeterminer = (words: readonly string[], at: number): boolean =>
  determiners.has(words[at] ?? '') && at + 2 < words.length && listTerms(words[at + 1] ?? '').length > 0

/** True if the first word starts a question of its own, such as in "What is new?". */
const startsQuestion = ([first, second]: readonly string[]): boolean =>
  (first === 'what' || first === 'how') && second !== 'about'
