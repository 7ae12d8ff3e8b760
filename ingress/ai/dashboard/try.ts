import { z } from 'zod'
import { conflict, Problem } from '#lib/errors.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import { embeddedModel, hasEmbeddedModel } from '#tasks/ai/rules/embedded-model.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { type FormState, linesField, selectField, textOf } from '../../http/html/form.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create as complete } from '../completions.ts'
import { create as embed } from '../embeddings.ts'
import { create as moderate } from '../moderate.ts'
import { create as summarize } from '../summarize.ts'
import { section } from './models.ts'

const tasks = [
  ['complete', 'Chat completion'],
  ['embed', 'Embedding'],
  ['summarize', 'Summary'],
  ['moderate', 'Moderation'],
] as const

type Call = Parameters<Parameters<typeof formPage>[0]['view']>[0]

const path = `${section.path}/try`

export const { show, submit } = formPage({
  path: '/models/try',
  summary: 'Try a model',
  section,
  permission: 'areas:write',
  fields: z.object({
    task: z.enum(tasks.map(([task]) => task)),
    model: z.string().default('default'),
    text: z.string().trim().min(1, 'is required').max(8_000),
  }),
  view: async (call) => await view(call, call),
  async submit(call) {
    const result = await runTask(call, call.given).catch(showFailure)
    return { view: await view(call, { filled: { given: call.given, faults: {} }, fault: undefined, result }) }
  },
})

/** A model that is unavailable is a result of the try, so the form shows it with the text that was entered. */
function showFailure(error: unknown): never {
  if (error instanceof Problem && error.status >= 502) throw conflict(error.message)
  throw error
}

interface Given {
  task: (typeof tasks)[number][0]
  model: string
  text: string
}

const Usage = z.object({ prompt_tokens: z.number().optional(), total_tokens: z.number().optional() }).nullish()

async function runTask({ ask }: Pick<Call, 'ask'>, { task, model, text }: Given): Promise<Html> {
  if (task === 'complete') {
    const Reply = z.looseObject({
      model: z.string(),
      choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullish() }) })),
      usage: Usage,
    })
    const reply = await ask(complete, { body: { model, messages: [{ role: 'user', content: text }] } }, Reply)
    return shown(reply.choices[0]?.message.content ?? 'The model returned no text.', [
      ['Model', reply.model],
      ['Tokens', reply.usage?.total_tokens],
    ])
  }
  if (task === 'embed') {
    const Reply = z.looseObject({
      model: z.string(),
      data: z.array(z.looseObject({ embedding: z.array(z.number()) })),
      usage: Usage,
    })
    const reply = await ask(embed, { body: { model, input: text } }, Reply)
    const vector = reply.data[0]?.embedding ?? []
    return shown(
      `[${vector
        .slice(0, 8)
        .map((one) => one.toFixed(4))
        .join(', ')}, …]`,
      [
        ['Model', reply.model],
        ['Dimensions', vector.length],
        ['Tokens', reply.usage?.total_tokens],
      ],
    )
  }
  if (task === 'summarize') {
    const reply = await ask(summarize, { body: { text } }, z.looseObject({ summary: z.string() }))
    return shown(reply.summary, [])
  }
  const Result = z.looseObject({ flagged: z.boolean(), category_scores: z.record(z.string(), z.number()) })
  const { results } = await ask(moderate, { body: { input: text } }, z.looseObject({ results: z.array(Result) }))
  const [first] = results
  const highest = Object.entries(first?.category_scores ?? {})
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 5)
  return shown(
    first?.flagged ? 'Flagged' : 'Not flagged',
    highest.map(([name, score]) => [name, score.toFixed(3)]),
  )
}

const shown = (text: string, facts: readonly (readonly [string, Content])[]): Html =>
  html`<section class="result" role="status" aria-labelledby="result"><h2 id="result">Result</h2><p class="said">${text}</p>
${facts.length > 0 && html`<dl class="facts">${facts.map(([name, value]) => value !== undefined && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`}</section>`

async function view(
  { db, member, services }: Pick<Call, 'db' | 'member' | 'services'>,
  { filled, fault, result }: { filled: FormState; fault: string | undefined; result?: Html },
) {
  const known = await upstreams.list(db)
  const names = known.flatMap(({ models, embedding_models }) =>
    [...models, ...embedding_models].map(({ asked }) => asked),
  )
  if (hasEmbeddedModel()) names.push(embeddedModel.name)
  const options = ['default', ...new Set(names)].map((name) => [name, name] as const)
  const [model, text] = [textOf(filled, 'model', 'default'), textOf(filled, 'text', 'Name a bird.') || 'Name a bird.']
  const calls: Readonly<Record<Given['task'], Html | undefined>> = {
    complete: apiCall(services, 'ai.completions.create', {
      body: { model, messages: [{ role: 'user', content: text }] },
    }),
    embed: apiCall(services, 'ai.embeddings.create', { body: { model, input: text } }),
    summarize: apiCall(services, 'ai.summarize.create', { body: { text } }),
    moderate: apiCall(services, 'ai.moderate.create', { body: { input: text } }),
  }
  const otherwise = known.length === 0 ? 'summarize' : 'complete'
  const task = textOf(filled, 'task', otherwise) as Given['task']
  const main = html`${parentLink('Models', section.path)}<h1>Try a model</h1>${renderFault(fault)}
${known.length === 0 && html`<p class="hint">No upstream model is connected, so chat completions are unavailable. The embedded engine can summarise and moderate text${hasEmbeddedModel() && ', and create English embeddings'}.</p>`}
<div class="try"><form class="form" method="post" action="${path}">${tokenField(member)}
${selectField(filled, { name: 'task', label: 'Operation', options: tasks, otherwise })}
${selectField(filled, { name: 'model', label: 'Model', options, hint: 'Used by chat completions and embeddings.' })}
${linesField(filled, { name: 'text', label: 'Text', required: true, rows: 8, prose: true })}
<p class="actions"><button class="primary">Run</button> <span class="hint">Tokens count towards your budget.</span></p></form>
${result}</div>
${calls[task]}`
  return { title: 'Try a model', main }
}
