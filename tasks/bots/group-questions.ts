import { setImmediate as breathe } from 'node:timers/promises'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as groups from '#sql/bots/question-groups.ts'
import { bytesOf, toUnit } from '#sql/knowledge/vector-bytes.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import { type ChargeMeans, runInSeat } from '../ai/rules/seated.ts'
import { embedQuestion } from '../knowledge/rules/embed-question.ts'
import { task } from '../queue/task.ts'
import { findGroup, getWords } from './rules/similar-questions.ts'

/** Number of questions per batch, and maximum number of questions of a bot. */
const [atOnce, most] = [50, 1_000]

/** Time in milliseconds for the vector of the first question, for which the model may have to start. */
const firstPatienceMs = 30_000

/**
 * Puts new unanswered questions of a bot into groups: by meaning if there is a model, otherwise by words. Groups of
 * earlier questions do not change.
 */
export const groupQuestions = task({
  name: 'bots/group-questions',
  pool: 'llm',
  payload: z.object({ botId: Id, orgId: Id }),
  attempts: 5,
  timeout: 5 * 60_000,
  async run({ botId, orgId }, tools) {
    await runInSeat(tools, orgId, (means) => groupAll(botId, orgId, means), 'background')
  },
})

async function groupAll(botId: string, orgId: string, means: ChargeMeans): Promise<void> {
  const { db, signal } = means
  const known = await listKnown(db, botId)
  let patienceMs: number | undefined = firstPatienceMs
  for (let done = 0; done < most; done += atOnce) {
    const asked = await groups.listCompared(db, botId, 'ungrouped', atOnce)
    if (asked.length === 0) return
    const grouped: groups.Compared[] = []
    for (const question of asked) {
      signal.throwIfAborted()
      await breathe()
      const one = group(question, known, await embedQuestion(question.question, orgId, means, { patienceMs }))
      patienceMs = undefined
      grouped.push(one)
      known.push(one)
    }
    await groups.setGroups(db, grouped)
  }
}

/** Returns the questions in groups. Reads their words in steps, because 1,000 long questions take a tenth of a second. */
async function listKnown(db: ChargeMeans['db'], botId: string): Promise<groups.Compared[]> {
  const known = await groups.listCompared(db, botId, 'grouped', most)
  for (const [i, question] of known.entries()) {
    getWords(question)
    if (i % atOnce === 0) await breathe()
  }
  return [...known]
}

function group(
  question: groups.Compared,
  known: readonly groups.Compared[],
  embedded: Embedded | undefined,
): groups.Compared {
  const numbers = embedded && toUnit(embedded.vector)
  const facts = { model: embedded?.model ?? null, vector: numbers ? new Uint8Array(bytesOf(numbers, true)) : null }
  const group_id = findGroup({ ...question, ...facts, numbers }, known) ?? question.id
  return { ...question, ...facts, group_id }
}
