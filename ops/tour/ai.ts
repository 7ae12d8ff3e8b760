import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

const text =
  'The harbour of Pärnu is at the mouth of the river. Its lighthouse was lit for the first time in 1864. Ferries leave from the old quay.'

interface AnswerReply {
  answered: boolean
  engine: string
  citations: { quote: string; start: number; end: number }[]
}

export function aiSteps(api: Api): Step[] {
  return [{ name: 'ai', run: () => askOne(api) }]
}

async function askOne(api: Api): Promise<string> {
  const question = 'When was the lighthouse lit?'
  const body = { question, documents: [{ id: 'harbour', text }] }
  const { answered, engine, citations } = await ask<AnswerReply>(api, 'POST', '/v1/ai/answer', body)
  const [citation] = citations
  if (!answered || !citation) throw new Error(`The ${engine} engine is not responding.`)
  const { quote, start, end } = citation
  if (text.slice(start, end) !== quote) throw new Error('The quote is not in the document.')
  return `"${question}" got an answer from the ${engine} engine with a quote: "${quote}"`
}
