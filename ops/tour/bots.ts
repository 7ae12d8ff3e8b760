import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

const text = [
  'The harbour shop opens at nine.',
  'Bicycles can be returned within thirty days of purchase if they are clean.',
  'Repairs take a week in summer.',
].join(' ')

interface Answer {
  message: { content: string; citations: { document_id: string; quote: string; start: number; end: number }[] }
}

/** Creates a bot from a template and gives it a document. The bot answers with a quote from the document. */
export function botSteps(api: Api): Step[] {
  return [{ name: 'bots', run: () => askOne(api) }]
}

async function askOne(api: Api): Promise<string> {
  const made = { name: 'Harbour Help', template: 'support-desk', variables: { company: 'Harbour Bikes' } }
  const { id } = await ask<{ id: string }>(api, 'POST', '/v1/bots', made)
  const document = await ask<{ id: string }>(api, 'POST', `/v1/bots/${id}/documents`, { title: 'Shop', text })
  const question = { message: 'How long do I have to return a bicycle?' }
  const { message } = await ask<Answer>(api, 'POST', `/v1/bots/${id}/chat`, question)
  const [citation] = message.citations
  if (citation?.document_id !== document.id) throw new Error(`The bot replied: ${message.content}`)
  if (text.slice(citation.start, citation.end) !== citation.quote) throw new Error('The quote is not in the document.')
  await ask(api, 'DELETE', `/v1/bots/${id}`)
  return `a bot answers from its document: “${citation.quote}”`
}
