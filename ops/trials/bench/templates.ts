import { Liquid } from 'liquidjs'
import { renderLiquid } from '#lib/liquid/render.ts'
import { type Benchmark, median } from './benchmark.ts'

/** Maximum CPU time of a message with a template of 10 KB, in milliseconds. */
const most = 2

const row = '<tr><td>{{ item.name | upcase }}</td><td>{{ item.price | times: item.count | round: 2 }}</td></tr>'
const filler = '<p style="margin:0 0 16px">The order is on its way, and arrives tomorrow.</p>\n'
const html = `<h1>{{ name }}</h1><table>{% for item in items %}${row}{% endfor %}</table>${filler.repeat(120)}`
const variables = {
  name: 'Ann',
  items: Array.from({ length: 20 }, (_, i) => ({ name: `Item ${i}`, price: i + 0.25, count: 2 })),
}

export const templates: Benchmark = {
  summary: 'CPU of rendering a Liquid template of 10 KB in a thread, compared with the engine alone',
  options: { messages: { about: 'messages per round', default: 1_000 }, rounds: { about: 'rounds', default: 5 } },
  async run({ messages = 1_000, rounds = 5 }) {
    const liquid = new Liquid({ outputEscape: 'escape' })
    const parsed = liquid.parse(html)
    const alone = () => Promise.resolve(liquid.renderSync(parsed, variables))
    const work = { sources: { html }, partials: {}, variables, globals: {} }
    const threaded = () => renderLiquid('bench', work)
    const figures: { alone: number; threaded: number }[] = []
    for (let i = 0; i <= rounds; i++)
      figures.push({ alone: await cpuOf(alone, messages), threaded: await cpuOf(threaded, messages) })
    const warm = figures.slice(1)
    const product = median(warm.map((one) => one.threaded))
    const limit = median(warm.map((one) => one.alone))
    return {
      comparisons: [
        { what: 'CPU of a 10 KB template', unit: 'ms', limit: most, product, demand: { productAtMost: most } },
        { what: 'thread and limits, compared with the engine', unit: 'ms', limit, product, demand: { atMost: 4 } },
      ],
      notes: [`${html.length} characters, ${messages} messages per round`],
      rounds: figures,
    }
  },
}

/** Returns the CPU milliseconds of this process and its threads per message. */
async function cpuOf(render: () => Promise<unknown>, messages: number): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < messages; i++) await render()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / messages
}
