import type { DetailedFlowJob } from '#sql/work/flow-jobs.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { duration } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { jobPath } from './section.ts'

/** Renders the jobs of a flow by stage: a job is in the stage after the last job for which it waits. */
export function renderGraph(jobs: readonly DetailedFlowJob[]): Html {
  const stages = stagesOf(jobs)
  return html`${stages.map((stage, i) => html`<section><h2>Stage ${i + 1} <span class="quiet">${stage.length === 1 ? '1 job' : `${stage.length} jobs at the same time`}</span></h2>${stageTable(stage, i + 1)}</section>`)}`
}

function stagesOf(jobs: readonly DetailedFlowJob[]): DetailedFlowJob[][] {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  const depths = new Map<string, number>()
  /** A flow has no cycles, and at most 100 jobs. */
  const depthOf = (job: DetailedFlowJob): number => {
    const known = depths.get(job.name)
    if (known !== undefined) return known
    const before = job.after.flatMap((name) => byName.get(name) ?? [])
    const depth = before.length === 0 ? 0 : Math.max(...before.map(depthOf)) + 1
    depths.set(job.name, depth)
    return depth
  }
  const stages: DetailedFlowJob[][] = []
  for (const job of jobs) {
    const depth = depthOf(job)
    stages[depth] = [...(stages[depth] ?? []), job]
  }
  return stages
}

const stageTable = (stage: readonly DetailedFlowJob[], number: number): Html =>
  dataTable({ caption: `Jobs of stage ${number}`, key: ({ job_id }) => job_id }, stage, {
    // The job itself can be deleted before the flow.
    Job: (one) => (one.status === null ? one.name : html`<a href="${jobPath(one.job_id)}">${one.name}</a>`),
    Status: [
      'break',
      (one) =>
        html`${statusBadge(stateOf(one))}${one.error && html` <span class="${stateOf(one) === 'failed' ? 'bad' : 'quiet'}">${one.error}</span>`}`,
    ],
    After: ['break', (one) => (one.after.length === 0 ? quiet('none') : one.after.join(', '))],
    'If one fails': (one) => (one.after.length === 0 ? quiet('–') : one.on_failure),
    Attempts: ['number', (one) => one.attempts ?? quiet('–')],
    Duration: ['number', (one) => timeOf(one)],
  })

const stateOf = ({ state, status }: DetailedFlowJob): string => (state === 'open' ? (status ?? 'waiting') : state)

const timeOf = ({ started_at, ended_at }: DetailedFlowJob) =>
  started_at && ended_at ? duration((ended_at.getTime() - started_at.getTime()) / 1_000) : quiet('–')
