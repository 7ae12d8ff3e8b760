import { type Generated, readContract } from './document.ts'
import { nodeFiles } from './node.ts'
import { pythonFiles } from './python.ts'

export function generateFiles(): Generated[] {
  const made = readContract()
  return [...nodeFiles(made), ...pythonFiles(made)]
}
