import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { runPython } from '../support/python.ts'
import { newMark, served } from './served.ts'
import { contradictions, type Outcome, type Program, runList } from './shared-list.ts'

const caller = fileURLToPath(new URL('python-caller.py', import.meta.url))

/** Makes the calls of the list with one of Python's clients. */
const runWith = (args: string[]) => async (program: Program) =>
  JSON.parse(await runPython([caller, ...args], { input: JSON.stringify(program) })) as Record<string, Outcome>

test('both clients of Python get from the shared list what they should, and the same', async (t) => {
  const api = await served(t)
  const blocking = await runList(t, api, newMark(), runWith([]))
  t.same(blocking.faults, [])
  const awaiting = await runList(t, api, newMark(), runWith(['async']))
  t.same(awaiting.faults, [])
  t.same(contradictions(awaiting.outcomes, blocking.outcomes), [])
})
