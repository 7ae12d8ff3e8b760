import { contract, type Generated } from './document.ts'
import { nodeFiles } from './node.ts'
import { pythonFiles } from './python.ts'

export function generated(): Generated[] {
  const made = contract()
  return [...nodeFiles(made), ...pythonFiles(made)]
}
