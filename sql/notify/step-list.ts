import { z } from 'zod'
import { type FlatStep, flattenSteps } from './flat-steps.ts'
import { getFetchName } from './step-conditions.ts'
import { maxSteps, Step } from './workflow-steps.ts'

type Path = readonly (string | number)[]

interface StepFault {
  path: Path
  message: string
}

/** Steps of a workflow, in a valid order. */
export const Steps = z
  .array(Step)
  .min(1)
  .max(maxSteps)
  .superRefine((steps, { addIssue }) => {
    const flat = flattenSteps(steps)
    const faults = [
      ...flat.flatMap((one, number) => findOrderFaults(one, flat.slice(0, number))),
      ...findRepeatedItems(steps, []).paths.map((path) => ({ path: [...path, 'channel'], message: itemOnce })),
      ...findListFaults(flat),
    ]
    for (const { path, message } of faults) addIssue({ code: 'custom', path: [...path], message })
  })

const itemOnce = 'can be `in_app` only once in a workflow'

/** Returns what is wrong with a step after the earlier steps. */
function findOrderFaults({ step, path }: FlatStep, before: readonly FlatStep[]): readonly StepFault[] {
  const earlier = before.map((one) => one.step)
  const names = new Set(earlier.flatMap((one) => (one.type === 'fetch' ? [one.name] : [])))
  const fault = (isWrong: boolean, message: string, ...field: Path): StepFault[] =>
    isWrong ? [{ path: [...path, ...field], message }] : []
  if (step.type === 'digest') return fault(before.length > 0, 'can only be used for the first step', 'type')
  const unknown = (step.conditions ?? []).flatMap(({ field }, n) => {
    const name = getFetchName(field)
    const isUnknown = name !== undefined && !names.has(name)
    return fault(isUnknown, `requires an earlier \`fetch\` step with the name \`${name}\``, 'conditions', n, 'field')
  })
  if (step.type === 'wait') {
    const hasItem = earlier.some((one) => one.type === 'channel' && one.channel === 'in_app')
    const lacksItem = step.until !== undefined && !hasItem
    return [...unknown, ...fault(lacksItem, 'requires an earlier step with the channel `in_app`', 'until')]
  }
  if (step.type !== 'fetch') return unknown
  const isTaken = names.has(step.name)
  return [...unknown, ...fault(isTaken, 'must be different from the names of other `fetch` steps', 'name')]
}

/**
 * Returns the paths of `in_app` steps that a run can reach after another one, and whether a run can have an item after
 * the steps.
 */
function findRepeatedItems(
  steps: readonly Step[],
  prefix: Path,
  had = false,
): { has: boolean; paths: readonly Path[] } {
  const paths: Path[] = []
  let has = had
  for (const [i, step] of steps.entries()) {
    const path = [...prefix, i]
    if (step.type === 'branch') {
      const ways = [
        findRepeatedItems(step.steps, [...path, 'steps'], has),
        findRepeatedItems(step.else ?? [], [...path, 'else'], has),
      ]
      has = ways.some((one) => one.has)
      paths.push(...ways.flatMap((one) => one.paths))
    } else if (step.type === 'channel' && step.channel === 'in_app') {
      if (has) paths.push(path)
      has = true
    }
  }
  return { has, paths }
}

function findListFaults(flat: readonly FlatStep[]): readonly StepFault[] {
  const isLong = flat.length > maxSteps
  const isSilent = flat.length > 0 && !flat.some(({ step }) => step.type === 'channel')
  return [
    ...(isLong ? [{ path: [], message: `must have at most ${maxSteps} steps, including those in branches` }] : []),
    ...(isSilent ? [{ path: [], message: 'must contain at least one channel' }] : []),
  ]
}
