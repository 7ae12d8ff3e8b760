/** Writes the generated parts of the clients from the API document (`npm run sdk`). */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateFiles } from './generated.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

for (const { path, text } of generateFiles()) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
  console.log(path)
}
