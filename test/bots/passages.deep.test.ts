import t from 'tap'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { findAmong } from './haystack.ts'
import { botsStack } from './stack.ts'

t.setTimeout(300_000)
const engine = createLanguageEngine()
t.teardown(() => engine.close())
const stack = await botsStack(t, engine)
await stack.startWorkers()

t.test('the passage that answers is found among 200 documents of 40,000 characters, and cited where it stands', (t) =>
  findAmong(t, stack, 200),
)
