import t from 'tap'
import { runParts } from '../../ops/tour/parts.ts'

const step = (name: string, run: () => Promise<string>) => ({ name, run })
const fine = async () => 'it works'

t.test('a part that fails is named, its further steps are left, and the others go on', async (t) => {
  const told: string[] = []
  const fails = async () => {
    throw new Error('no answer', { cause: new Error('ECONNREFUSED') })
  }
  const parts = [
    { name: 'files', steps: [step('files', fine)] },
    { name: 'video', steps: [step('upload', fails), step('watch', fine)] },
    { name: 'email', steps: [] },
    { name: 'rooms', steps: [step('rooms', fine)] },
  ]
  const failed = await runParts(parts, (text) => told.push(text), new AbortController().signal)
  t.same(failed, ['video'])
  t.match(told, [/^files: it works \(\d/, /^video FAILED: Error: no answer.*ECONNREFUSED/, /^rooms: it works/])
  t.equal(told.length, 3)
})

t.test('what is stopped has failed in nothing', async (t) => {
  const stop = new AbortController()
  const told: string[] = []
  const stopped = async () => {
    stop.abort()
    throw new Error('stopped')
  }
  const parts = [
    { name: 'a', steps: [step('a', stopped)] },
    { name: 'b', steps: [step('b', fine)] },
  ]
  t.same(await runParts(parts, (text) => told.push(text), stop.signal), [])
  t.same(told, [])
})
