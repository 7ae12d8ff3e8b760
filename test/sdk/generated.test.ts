import { execFile } from 'node:child_process'
import { cp, readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { manifests } from '../../ops/deploy/kubernetes/make.ts'
import { generateFiles } from '../../sdk/generate/generated.ts'

const root = new URL('../../', import.meta.url)

test('what is generated is current', async (t) => {
  for (const { path, text } of generateFiles()) {
    const now = await readFile(new URL(path, root), 'utf8')
    t.ok(now === text, `${path}: run \`npm run sdk\`, which writes it anew`)
  }
})

test('what is generated is marked so in .gitattributes, and nothing that is written by hand', async (t) => {
  const made = [
    ...generateFiles().map(({ path }) => path),
    ...Object.keys(manifests).map((path) => `ops/deploy/kubernetes/${path}`),
    'package-lock.json',
  ]
  const present = await Promise.all(['sdk', 'ops/deploy', 'test/sdk'].map(sourcesOf))
  const written = ['package.json', ...present.flat()].filter((path) => !made.includes(path))
  t.ok(written.length > 50)
  t.same(await markedOf(t.testdir({}), [...made, ...written]), made.sort())
})

async function sourcesOf(folder: string): Promise<string[]> {
  const names = await readdir(new URL(folder, root), { recursive: true })
  return names
    .filter(
      (name) => /\.(ts|js|json|md|py|sh|toml|ya?ml)$/.test(name) && !/(^|\/)(dist|node_modules|_sync)\//.test(name),
    )
    .map((name) => `${folder}/${name}`)
}

/** Those of some paths that `.gitattributes` says are generated, as git reads it. */
async function markedOf(repository: string, paths: string[]): Promise<string[]> {
  await git(repository, ['init', '-q'])
  await cp(fileURLToPath(new URL('.gitattributes', root)), `${repository}/.gitattributes`)
  const told = (await git(repository, ['check-attr', '-z', '--stdin', 'linguist-generated'], paths)).split('\0')
  return paths.filter((_, i) => told[i * 3 + 2] === 'set').sort()
}

async function git(cwd: string, args: string[], asked: string[] = []): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = execFile('git', args, { cwd, maxBuffer: 2 ** 24 }, (error, out) =>
    error ? reject(error) : resolve(out),
  )
  child.stdin?.end(asked.join('\0'))
  return await promise
}
