import type pg from 'pg'

export interface Statement {
  name?: string | undefined
  text: string
  values: unknown[]
  settings?: Statement | undefined
}

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Schema?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

export interface BigStep {
  step: string
  rows: number
}

export interface ExplainedPlan {
  tables: string[]
  /** Rows that all scans have read. */
  read: number
  /** Steps that read or sort more rows than `most`. */
  big: BigStep[]
}

/** Runs a statement with `explain analyze` in a transaction that is rolled back. */
export async function explain(
  client: pg.Client,
  { text, values, settings }: Statement,
  most: number,
): Promise<ExplainedPlan> {
  await client.query('begin')
  try {
    if (settings) await client.query(settings.text, settings.values)
    await client.query(`set local statement_timeout = '20s'`)
    const { rows } = await client.query(`explain (analyze, verbose, format json) ${text}`, values)
    const nodes = allOf(rows[0]['QUERY PLAN'][0].Plan)
    const big = nodes.map((node) => ({ step: nameOf(node), rows: readBy(node) })).filter(({ rows }) => rows > most)
    const read = nodes.filter(isScan).reduce((sum, node) => sum + readBy(node), 0)
    return { tables: [...new Set(nodes.flatMap((node) => tableOf(node) ?? []))], read, big }
  } finally {
    await client.query('rollback')
  }
}

const allOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(allOf)]

const isScan = (node: Node) => node['Node Type'].includes('Scan')

const tableOf = (node: Node) =>
  node['Relation Name'] && node.Schema ? `${node.Schema}.${node['Relation Name']}` : undefined

function nameOf(node: Node): string {
  const of = [tableOf(node), node['Index Name']].filter(Boolean).join(' by ')
  return `${node['Node Type']}${of && ` of ${of}`}`
}

/**
 * Returns the number of rows that a step has read. For a scan, discarded rows count. For a sort, the rows below it
 * count.
 */
function readBy(node: Node): number {
  const loops = node['Actual Loops']
  if (node['Node Type'].endsWith('Sort')) return outOf(node.Plans?.[0])
  if (!isScan(node)) return 0
  return outOf(node) + loops * ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0))
}

const outOf = (node: Node | undefined) => (node ? node['Actual Rows'] * node['Actual Loops'] : 0)
