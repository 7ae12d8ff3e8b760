import type { Step } from './workflow-steps.ts'

/** A step with its place in the workflow. The index in the list is the step’s number in runs and traces. */
export interface FlatStep {
  step: Step
  /** Path in the list of steps. For example, `[1, 'else', 0]`. */
  path: readonly (string | number)[]
  /** Number of branches around the step. */
  depth: number
  /** Number of the step that follows. For a branch, the first of its `steps`. */
  next: number
  /** For a branch: number of the step that follows if a condition is false. */
  otherwise: number
}

/**
 * Returns all steps of a workflow in the order in which they are written: a branch, its `steps`, its `else`, then the
 * steps after it.
 */
export function flattenSteps(steps: readonly Step[]): readonly FlatStep[] {
  const flat: FlatStep[] = []
  place(flat, steps, { prefix: [], depth: 0, end: countSteps(steps) })
  return flat
}

interface Place {
  prefix: readonly (string | number)[]
  depth: number
  /** Number of the step that follows the list. */
  end: number
}

function place(flat: FlatStep[], list: readonly Step[], { prefix, depth, end }: Place): void {
  for (const [i, step] of list.entries()) {
    const number = flat.length
    const after = i === list.length - 1 ? end : number + countSteps([step])
    const path = [...prefix, i]
    if (step.type !== 'branch') {
      flat.push({ step, path, depth, next: after, otherwise: after })
      continue
    }
    const others = step.else ?? []
    const otherwise = others.length > 0 ? number + 1 + countSteps(step.steps) : after
    flat.push({ step, path, depth, next: step.steps.length > 0 ? number + 1 : after, otherwise })
    place(flat, step.steps, { prefix: [...path, 'steps'], depth: depth + 1, end: after })
    place(flat, others, { prefix: [...path, 'else'], depth: depth + 1, end: after })
  }
}

export const countSteps = (steps: readonly Step[]): number =>
  steps.reduce(
    (sum, step) => sum + 1 + (step.type === 'branch' ? countSteps(step.steps) + countSteps(step.else ?? []) : 0),
    0,
  )
