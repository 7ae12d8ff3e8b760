import type { Reason } from '#sql/status/areas.ts'
import type { Incident } from '#sql/status/incidents.ts'
import type { AreaSummary, Summary } from './summary.ts'

export const stateWords: Readonly<Record<AreaSummary['state'], string>> = {
  ok: 'Works',
  degraded: 'Degraded',
  down: 'Down',
  unknown: 'Unknown',
}

export const reasonWords: Readonly<Record<Reason, string>> = {
  failing: 'Requests fail.',
  waiting: 'Jobs wait longer than 15 minutes.',
  stopped: 'Jobs are not processed.',
  paused: 'The operator has paused the processing of jobs.',
}

export const kindWords: Readonly<Record<Incident['kind'], string>> = {
  degraded: 'Degraded',
  down: 'Down',
  maintenance: 'Maintenance',
  notice: 'Notice',
}

/** Describes the state of the whole installation. */
export function describeState({ state, areas, answers, measured_at }: Summary): string {
  if (!answers) return 'The database does not answer. The measurements below are old.'
  if (state === 'unknown') {
    return measured_at === null
      ? 'Nothing was measured yet. The first measurement takes up to one minute after a worker of the pool core has started.'
      : 'The last measurement is older than five minutes. No worker of the pool core measures at the moment.'
  }
  if (state === 'ok') return 'All areas work.'
  return (['down', 'degraded'] as const)
    .flatMap((bad) => {
      const affected = areas.filter((area) => area.state === bad).map(({ title }) => title)
      return affected.length > 0 ? [`${stateWords[bad]}: ${affected.join(', ')}.`] : []
    })
    .join(' ')
}
