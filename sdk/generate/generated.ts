import { type Generated, readContract } from './document.ts'
import { goFiles } from './go.ts'
import { nodeFiles } from './node.ts'
import { phpFiles } from './php.ts'
import { pythonFiles } from './python.ts'

export function generateFiles(): Generated[] {
  const made = readContract()
  return [...nodeFiles(made), ...pythonFiles(made), ...phpFiles(made), ...goFiles(made)]
}
