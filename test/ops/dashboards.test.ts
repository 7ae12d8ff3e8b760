import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { declaredMetrics } from '#lib/telemetry/metrics.ts'
import { areas } from '../../ingress/areas.ts'
import { dashboards, ownerOf } from '../../ops/deploy/grafana/make.ts'

const deploy = new URL('../../ops/deploy/', import.meta.url)
const read = (path: string) => readFile(new URL(path, deploy), 'utf8')

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

const rulesOf = async (file: string): Promise<Rule[]> =>
  parse(await read(`prometheus/${file}`)).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
const rules = [...(await rulesOf('alerts.yml')), ...(await rulesOf('areas.yml'))]

/** Names of the metrics of Millrace in an expression. */
const metricsIn = (expression: string): string[] =>
  (expression.replaceAll(/"[^"]*"/g, '').match(/\bmillrace_[a-z0-9_]+/g) ?? []).map((name) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  )

const declared = new Set(declaredMetrics().map(({ name }) => name))

t.test('the dashboards are generated from the current declarations', async (t) => {
  for (const [file, text] of Object.entries(dashboards))
    t.equal(await read(`grafana/areas/${file}`), text, `${file}: run node ops/deploy/grafana/make.ts`)
  t.same((await readdir(new URL('grafana/areas/', deploy))).toSorted(), Object.keys(dashboards).toSorted())
})

t.test('each metric is on the dashboard of its area, and each area with operations has one', async (t) => {
  for (const { name } of areas.filter(({ name }) => !['service', 'docs'].includes(name)))
    t.ok(dashboards[`${name}.json`]?.includes(`operation=~\\"${name}[.].*\\"`), name)
  for (const name of declared) {
    const owner = ownerOf(name)
    t.ok(owner && metricsIn(expressionsOf(dashboards[`${owner}.json`] ?? '')).includes(name), `${name}: ${owner}`)
  }
  const shown = Object.values(dashboards).flatMap((text) => metricsIn(expressionsOf(text)))
  t.same(
    [...new Set(shown)].filter((name) => !declared.has(name)),
    [],
    'and no other metric is shown',
  )
})

function expressionsOf(text: string): string {
  const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] }
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n')
}

t.test('panels have their own place and number', async (t) => {
  for (const [file, text] of Object.entries(dashboards)) {
    const { panels, uid } = JSON.parse(text)
    t.equal(uid, `millrace-${file.replace('.json', '')}`)
    t.equal(new Set(panels.map(({ id }: { id: number }) => id)).size, panels.length, file)
    const places = panels.map(({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`)
    t.equal(new Set(places).size, panels.length, file)
  }
})

t.test('alerts use metrics that exist, and the guide has the first steps for each', async (t) => {
  const guide = await readFile(new URL('../../ops/OPERATE.md', import.meta.url), 'utf8')
  const [, section = ''] = guide.split('## Respond to alerts')
  const listed = [...section.matchAll(/^\| `(Millrace\w+)`/gm)].map(([, name]) => name)
  t.same(listed.toSorted(), rules.map(({ alert }) => alert).toSorted())
  for (const { alert, expr, labels, annotations } of rules) {
    t.ok(['critical', 'warning', 'info'].includes(labels.severity), alert)
    t.ok(annotations.summary && annotations.description, alert)
    for (const name of metricsIn(expr)) t.ok(declared.has(name), `${alert}: ${name}`)
  }
})

t.test('Prometheus loads both files of alerts', async (t) => {
  t.same(parse(await read('prometheus/scrape.yml')).rule_files, ['alerts.yml', 'areas.yml'])
})
