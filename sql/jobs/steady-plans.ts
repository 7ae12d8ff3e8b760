/** A statement of the queue library, by the name under which it is prepared. */
interface Statement {
  name?: string | undefined
  text: string
}

/** What of a job is read by the library and here; what is not asked for need not be parsed, and that is half of a row. */
const columns = [
  'id',
  'job_queue_id',
  'task_id',
  'payload',
  'priority',
  'run_at',
  'attempts',
  'max_attempts',
  'last_error',
  'created_at',
  'key',
  'revision',
] as const
const read = columns.map((column) => `jobs.${column}`).join(', ')

/** Where statements of graphile-worker 0.18 join a queue's jobs with ids that they already have, and the same by an array. */
const joins: readonly { name: RegExp; join: string; byArray: string }[] = [
  {
    name: /^get_job\w*\//,
    join: '\n    from j\n    where jobs.id = j.id\n    returning *',
    byArray: `\n    where jobs.id = any(array(select id from j))\n    returning ${read}`,
  },
  {
    name: /^complete_job(s|_q)\//,
    join: '\nusing unnest($1::bigint[]) n(n)\nwhere id = n',
    byArray: '\nwhere id = any($1::bigint[])',
  },
  {
    name: /^fail_job(_q)?\//,
    join: `\nwhere id = (el->>'jobId')::bigint`,
    byArray: `
where id = any(array(select (failed->>'jobId')::bigint from json_array_elements($2::json) as failed))
and id = (el->>'jobId')::bigint`,
  },
]

const steady = new Map<string, string>()

/**
 * A statement of the queue library with a plan that does not hang on statistics. Where an analyze met a queue whose jobs were
 * nearly all locked or dead, the planner takes a backlog of thousands for one row, and a join of the jobs with a list of ids
 * becomes a nested loop that reads all of them for each id: 230 to 530 ms a claim in place of 12, until the next analyze. By an
 * array of ids there is no join to get wrong.
 */
export function steadied<S extends Statement>(statement: S): S {
  const { name = '', text } = statement
  const known = steady.get(text)
  if (known !== undefined) return { ...statement, text: known }
  const join = joins.find((each) => each.name.test(name))
  if (!join || !text.includes(join.join)) return statement
  steady.set(
    text,
    text.replace(join.join, () => join.byArray),
  )
  return steadied(statement)
}

/**
 * For a session that runs the library's statements alone: each of them finds its rows by an index, but a queue that is believed
 * to be nearly empty would be read as a whole, and sorted, at each claim.
 */
export const byIndexAlone = 'set enable_seqscan = off; set jit = off'

/** A claimed job's row, as far as its turn goes. */
export interface Claimed {
  id: string
  priority: number
  run_at: Date
}

/** In the order in which jobs are due: an update by ids returns them in none. */
export const byTurn = (a: Claimed, b: Claimed): number =>
  a.priority - b.priority || a.run_at.getTime() - b.run_at.getTime() || Number(a.id) - Number(b.id)
