import { setTimeout as pause } from 'node:timers/promises'
import type { ChatReply, ChatRequest, LanguageEngine } from '#tasks/ai/engine.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import type { PoolPlan } from '../../workers/runtime/fleet.ts'
import { actionClient } from '../support/action-client.ts'

/** A test engine that records requests and follows a script. */
export interface ScriptedEngine extends Pick<LanguageEngine, 'chat' | 'close'> {
  asked: ChatRequest[]
  /** Handles a request and can stream text. By default, repeats the question word by word and quotes. */
  script: (request: ChatRequest, signal: AbortSignal, tell: (text: string) => void) => Promise<Partial<ChatReply>>
}

const echo: ScriptedEngine['script'] = async ({ messages }, _, tell) => {
  const content = `You said: ${messages.at(-1)?.content}`
  for (const word of content.split(/(?<= )/)) tell(word)
  return { content }
}

/** Creates the engine. Each answer takes this many milliseconds. */
export function scriptedEngine(ms = 0): ScriptedEngine {
  const engine: ScriptedEngine = {
    asked: [],
    script: echo,
    async chat(request, signal, tell = () => {}) {
      engine.asked.push(request)
      if (ms > 0) await pause(ms, undefined, { signal })
      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
      const { content = '', ...reply } = await engine.script(request, signal, tell)
      return { engine: 'embedded', model: 'scripted', usage, citations: [], finish_reason: 'stop', content, ...reply }
    },
    async close() {},
  }
  return engine
}

export const llmPlan = (engine: Pick<LanguageEngine, 'chat'>, concurrency = 8): PoolPlan<'llm'> => ({
  pool: 'llm',
  settings: { concurrency, fetchAhead: 0 },
  tasks: getTasksOfPool('llm'),
  tools: { llm: engine as LanguageEngine, actions: actionClient() },
})
