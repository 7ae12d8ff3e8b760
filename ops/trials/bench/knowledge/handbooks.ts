import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import type { Prose, Topic } from './prose.ts'

const proses = [english, german, french]

const [beginnings, endings] = [
  [
    'Al',
    'Bren',
    'Cor',
    'Dun',
    'El',
    'Fal',
    'Gor',
    'Hal',
    'Ist',
    'Jar',
    'Kel',
    'Lun',
    'Mar',
    'Nor',
    'Ost',
    'Pel',
    'Quer',
  ],
  ['dorf', 'mouth', 'ville', 'stadt', 'haven'],
]

const places = beginnings.flatMap((beginning) => endings.map((ending) => beginning + ending))

interface Handbook {
  title: string
  text: string
}

interface AskedFact {
  question: string
  handbook: number
  fact: string
}

/** Returns pseudo-random numbers that are the same in each run. */
function dice(seed: number): (sides: number) => number {
  let state = (seed + 1) >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const pick = <T>(list: readonly T[], roll: (sides: number) => number): T => list[roll(list.length)] as T

const placeOf = (handbook: number) => places[Math.floor(handbook / proses.length) % places.length] as string

const proseOf = (handbook: number) => proses[handbook % proses.length] as Prose

function factOf(handbook: number, topic: number): string {
  const [fact] = proseOf(handbook).topics[topic] as Topic
  return fact.replace('{value}', String(11 + ((handbook * 31 + topic * 17) % 88)))
}

function sentence({ subjects, verbs, objects, ends }: Prose, roll: (sides: number) => number): string {
  return `${pick(subjects, roll)} ${pick(verbs, roll)} ${pick(objects, roll)}, ${pick(ends, roll)}`
}

/**
 * Returns the handbook of a place. It contains each fact once among ordinary sentences. Sentences on the same topic
 * appear in many paragraphs, and other handbooks contain the same facts with other numbers.
 */
export function handbook(number: number, characters = 40_000): Handbook {
  const prose = proseOf(number)
  const roll = dice(number)
  const filled = (text: string) => text.replace('{place}', placeOf(number)).replace('{other}', pick(places, roll))
  const paragraphs: string[] = [filled(prose.opening)]
  const facts = prose.topics.map((_, topic) => topic)
  const every = Math.max(1, Math.floor(characters / 800 / facts.length))
  for (let length = 0, n = 0; length < characters; n++) {
    const sentences = Array.from({ length: 6 + roll(5) }, () => sentence(prose, roll))
    for (let i = 0; i < 2; i++) sentences.splice(roll(sentences.length), 0, pick(prose.topics, roll)[1])
    if (roll(4) === 0) sentences.push(filled(prose.elsewhere))
    const topic = n % every === 0 ? facts.splice(roll(facts.length), 1)[0] : undefined
    if (topic !== undefined) {
      const at = roll(sentences.length)
      sentences.splice(at, 0, factOf(number, topic), prose.topics[topic]?.[1] ?? '')
    }
    const paragraph = sentences.join(' ')
    length += paragraph.length + 2
    paragraphs.push(paragraph)
  }
  return { title: filled(prose.title), text: paragraphs.join('\n\n').slice(0, characters) }
}

export function questions(handbooks: number): AskedFact[] {
  return proses.flatMap(({ topics }, language) =>
    topics.map(([, , question], topic) => {
      const own = Math.floor(((topic + 0.5) / topics.length) * Math.floor((handbooks - language + 2) / proses.length))
      const number = own * proses.length + language
      return { question: question.replace('{place}', placeOf(number)), handbook: number, fact: factOf(number, topic) }
    }),
  )
}
