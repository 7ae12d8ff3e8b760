/** Generates the Helm chart from the objects of `kubernetes/base`: `node ops/deploy/helm/make.ts` writes millrace/. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { chart } from './chart.ts'

const folder = new URL('millrace/', import.meta.url)
const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))

export const files = chart(version)

if (import.meta.main) {
  await rm(folder, { recursive: true, force: true })
  await mkdir(new URL('templates/', folder), { recursive: true })
  for (const [path, text] of Object.entries(files)) await writeFile(new URL(path, folder), text)
}
