import pg from 'pg'
import type { Statement } from './plans.ts'

/** A statement that enqueues a task. It cannot be repeated, because the ID of the run then exists. */
const addsRun = /\binsert into jobs\.runs\b/i

export async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = []
  const settings = new Map<pg.Client, Statement>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: [string | Partial<Statement>, unknown[]?]) {
    const [first, values = []] = given
    const {
      name,
      text = '',
      values: own = values,
    }: Partial<Statement> = typeof first === 'string' ? { text: first } : first
    if (/^\s*select set_config\(/i.test(text)) settings.set(this, { text, values: own })
    else if (/^\s*(begin|start|commit|rollback)\b/i.test(text)) settings.delete(this)
    else if (/^\s*(select|with|update|insert|delete)\b/i.test(text) && !addsRun.test(text))
      sent.push({ name, text, values: own, settings: settings.get(this) })
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}
