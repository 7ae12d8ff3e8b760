/**
 * Runs test files one after the other in this process. In each file, `import t from 'tap'` is a subtest with the file's
 * path as its name, so that its teardowns run before the next file is loaded. A file also runs alone by its path.
 */
import { registerHooks } from 'node:module'
import tap, { type Test } from 'tap'
import { measure } from './times.ts'

/** Limit of one file in milliseconds. A file can set its own with `t.setTimeout`. */
const limit = 480_000

const root = new URL('../../../', import.meta.url)
const scheme = 'file-test:'

let current: Test | undefined

/** The subtest of the file that is being loaded. */
export const currentTest = (): Test => {
  if (!current) throw new Error('No test file is running.')
  return current
}

/** The module that a test file receives instead of tap. */
const replacement = `
import { currentTest } from ${JSON.stringify(import.meta.url)}
const t = currentTest()
export default t
export { t }
export const test = (...given) => t.test(...given)
export const before = (...given) => t.before(...given)
export const after = (...given) => t.teardown(...given)
`

/** `files` are paths from the root of the checkout. */
export async function runFiles(files: readonly string[]): Promise<void> {
  const urls = new Set(files.map((file) => new URL(file, root).href))
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'tap' || !urls.has(context.parentURL ?? '')) return next(specifier, context)
      return { url: `${scheme}${context.parentURL}`, format: 'module', shortCircuit: true }
    },
    load(url, context, next) {
      if (!url.startsWith(scheme)) return next(url, context)
      return { format: 'module', source: replacement, shortCircuit: true }
    },
  })
  tap.setTimeout(0)
  for (const file of files) {
    const ended = measure(file)
    await tap.test(file, { timeout: limit }, async (t) => {
      current = t
      await import(new URL(file, root).href)
    })
    ended()
  }
}
