import { z } from 'zod'
import type { Step } from '#sql/notify/workflow-steps.ts'

/** Path of a step in the list of steps, such as `1.else.0`. */
export const StepPath = z.string().regex(/^\d{1,2}(\.(steps|else)\.\d{1,2}){0,2}$/)

/** Returns the path in words: `2, else 1`. */
export const describePath = (path: string): string =>
  path
    .split(/\.(?=steps|else)/)
    .map((part) => part.replace(/\d+/, (index) => String(Number(index) + 1)).replace('.', ' '))
    .join(', ')

type Change = (list: readonly Step[], index: number) => readonly unknown[]

/** Returns the steps with a changed list: the one that the path’s last index belongs to. */
export function changeList(steps: readonly Step[], path: string, change: Change): readonly unknown[] {
  const [first = '0', list, ...rest] = path.split('.')
  const index = Number(first)
  if (list === undefined) return change(steps, index)
  return steps.map((step, i) => {
    if (i !== index || step.type !== 'branch') return step
    const inner = list === 'else' ? (step.else ?? []) : step.steps
    return { ...step, [list]: changeList(inner, rest.join('.'), change) }
  })
}

export const insertStep = (steps: readonly Step[], path: string, step: unknown): readonly unknown[] =>
  changeList(steps, path, (list, index) => [...list.slice(0, index), step, ...list.slice(index)])

/** Replaces a step. A branch keeps its steps. */
export const replaceStep = (steps: readonly Step[], path: string, step: object): readonly unknown[] =>
  changeList(steps, path, (list, index) =>
    list.map((old, i) => {
      if (i !== index) return old
      return old.type === 'branch' ? { ...step, steps: old.steps, ...(old.else && { else: old.else }) } : step
    }),
  )
