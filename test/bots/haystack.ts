import type { Test } from 'tap'
import { newId } from '#lib/ids.ts'
import * as documents from '#sql/bots/documents.ts'
import type { BotsStack } from './stack.ts'

const words =
  `bicycle return repair order customer shop delivery week day price brake chain wheel saddle light lock frame
pedal tyre pump helmet basket bell rack tool oil grease cable gear spoke rim hub fork stem grip lever valve tube patch invoice
receipt warranty parcel courier address street town harbour market morning evening season model colour size stock`.split(
    /\s+/,
  )

/** Returns everyday text of the shop, identical in each run. */
export function chatter(seed: number, characters: number): string {
  let state = seed + 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return words[state % words.length]
  }
  let text = ''
  while (text.length < characters) {
    text += `The ${next()} and the ${next()} of each ${next()} go with a ${next()} by the ${next()}. `
    if (state % 9 === 0) text += '\n\n'
  }
  return text.slice(0, characters)
}

const facts = [
  [
    'Who may calibrate a torque wrench?',
    'Torque wrenches are calibrated by Ülle alone, on the last Friday of a month.',
    /Ülle/,
  ],
  [
    'How do I get a refund for a lost helmet?',
    'Refunds for lost helmets are paid from the solidarity fund.',
    /solidarity fund/,
  ],
  ['Wie lange dauert die Lackierung im Winter?', 'Lackierungen dauern im Winter elf Tage. 🚲', /elf Tage/],
  ['Сколько стоит гравировка?', 'Гравировки стоят двенадцать евро.', /двенадцать/],
] as const

/** Hides four facts among documents of 40,000 characters and asks for each. */
export async function findAmong(t: Test, { bot: make, say, db }: BotsStack, count: number): Promise<void> {
  const bot = await make({ fallback: 'No idea.' })
  const texts = Array.from({ length: count }, (_, i) => {
    const fact = facts[i / (count / 4)]?.[1]
    if (fact === undefined) return chatter(i, 40_000)
    return `${chatter(i, 30_000)}\n\n🙂 ${fact}\n\n${chatter(i + 1_000, 40_000 - 30_006 - fact.length)}`
  })
  const ids: string[] = []
  for (const [i, text] of texts.entries()) {
    const document = { id: newId(), bot_id: bot, title: `Notes ${i}`, url: null, text }
    ids.push((await documents.insert(db, document)).id)
  }
  for (const [i, [question, , expected]] of facts.entries()) {
    const { message } = (await say(bot, question)).body
    t.match(message.content, expected, question)
    const citation = message.citations.find(({ quote }: { quote: string }) => expected.test(quote))
    t.equal(citation?.document_id, ids[(i * count) / 4])
    t.equal(texts[(i * count) / 4]?.slice(citation?.start, citation?.end), citation?.quote)
  }
  t.equal((await say(bot, 'Xylophone?')).body.message.content, 'No idea.')
}
