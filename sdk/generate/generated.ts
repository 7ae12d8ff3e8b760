import { contract, type Generated } from './document.ts'
import { nodeFiles } from './node.ts'
import { pythonFiles } from './python.ts'

/** Returns every generated file of the clients with its current content. */
export function generated(): Generated[] {
  const made = contract()
  return [...nodeFiles(made), ...pythonFiles(made)]
}
