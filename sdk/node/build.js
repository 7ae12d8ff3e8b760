/** `npm run build`: builds dist/esm and dist/cjs from src, each with types. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('.', import.meta.url))
rmSync(new URL('dist', import.meta.url), { recursive: true, force: true })
const formats = [
  { folder: 'dist/esm', type: 'module', more: [] },
  { folder: 'dist/cjs', type: 'commonjs', more: ['--module', 'commonjs', '--moduleResolution', 'bundler'] },
]
for (const { folder, type, more } of formats) {
  const { status } = spawnSync('tsc', ['-p', '.', '--outDir', folder, ...more], { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(new URL(`${folder}/package.json`, import.meta.url), `{ "type": "${type}" }\n`)
  // Emitted code imports .js, but its declarations still import .ts, which older compilers do not find.
  for (const name of readdirSync(new URL(folder, import.meta.url), { recursive: true })) {
    if (!String(name).endsWith('.d.ts')) continue
    const file = new URL(`${folder}/${name}`, import.meta.url)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js'))
  }
}
