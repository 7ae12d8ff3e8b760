import { readFile } from 'node:fs/promises'
import { test } from 'tap'
import { generated } from '../../sdk/generate/generated.ts'

test('what is generated is current', async (t) => {
  for (const { path, text } of generated()) {
    const now = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    t.ok(now === text, `${path}: run \`npm run sdk\`, which writes it anew`)
  }
})
