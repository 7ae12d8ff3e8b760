import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { commentOn, findLiterals, type Literal } from './literals.ts'

export interface BuiltExpression extends Literal {
  file: string
}

/**
 * Returns the expressions that product files build when they are loaded, for example from word lists. Expressions that
 * a function builds when it is called are not included.
 */
export async function findBuiltExpressions(files: readonly string[]): Promise<BuiltExpression[]> {
  const texts = new Map<string, string>()
  for (const file of files) texts.set(file, await readFile(file, 'utf8'))
  const building = files.filter((file) => findLiterals(file, texts.get(file) ?? '').some(({ built }) => built))
  const made: { file: string; line: number; source: string; flags: string }[] = []
  const native = globalThis.RegExp
  const note = (expression: RegExp) => {
    const { stack = '' } = new Error()
    const file = building.find((each) => stack.includes(`/${each}:`))
    const line = file && Number(stack.split(`/${file}:`)[1]?.split(':', 1)[0])
    if (file && line) made.push({ file, line, source: expression.source, flags: expression.flags })
    return expression
  }
  globalThis.RegExp = new Proxy(native, {
    construct: (target, given) => note(Reflect.construct(target, given)),
    apply: (target, self, given) => note(Reflect.apply(target, self, given)),
  })
  try {
    for (const file of building) await import(pathToFileURL(file).href)
  } finally {
    globalThis.RegExp = native
  }
  return made.map((one) => ({
    ...one,
    built: true as const,
    comment: commentOn((texts.get(one.file) ?? '').split('\n'), one.line - 1),
  }))
}
