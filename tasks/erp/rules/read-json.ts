import { ImportError } from './import-error.ts'
import { JsonCutter } from './json-cutter.ts'
import type { FileShape, Row } from './row.ts'

/** Reads JSON records: a list, a list at a path, or consecutive values. Throws `ImportError`. */
export async function* readJson(text: AsyncIterable<string>, { headings, records }: FileShape): AsyncGenerator<Row> {
  const cutter = new JsonCutter(records)
  let line = 0
  for await (const chunk of text) {
    for (const part of cutter.push(chunk)) {
      const row = rowOf(part, ++line)
      if (line === 1) demandHeadings(row, headings)
      yield row
    }
  }
  if (!cutter.isWhole)
    throw new ImportError(
      line > 0
        ? 'The file is not complete JSON: it ends within its records.'
        : `The file has no list of records${nameOf(records)}.`,
    )
  if (line === 0) throw new ImportError('The file is empty.')
}

const nameOf = (records: readonly string[]) => (records.length > 0 ? ` at ${records.join('.')}` : '')

/** Throws `ImportError` if the first record lacks a heading. */
export function demandHeadings(row: Row, headings: readonly string[]): void {
  const lacking = headings.filter((heading) => valueAt(row.json, heading) === undefined)
  if (lacking.length > 0) throw new ImportError(`The first record does not contain ${lacking.join(', ')}.`)
}

/** Returns a record whose headings are paths in an object. */
export const jsonRow = (json: object, line: number): Row => ({ line, json, get: (path) => textOf(valueAt(json, path)) })

function rowOf(part: string, line: number): Row {
  try {
    const json: unknown = JSON.parse(part)
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return jsonRow(json, line)
    return { line, get: () => '', fault: 'not a record, but a single value' }
  } catch {
    return { line, get: () => '', fault: 'invalid JSON' }
  }
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join('|')
  // Returns the text of an element in JSON that was converted from XML (BadgerFish).
  return textOfElement(value)
}

const textOfElement = (value: unknown): string => {
  const text = own(value, '$')
  return text === undefined ? '' : textOf(text)
}

/**
 * Returns the value at a dotted path. For a list, returns the first element, or the element with the given number,
 * starting at 1.
 */
export function valueAt(record: unknown, path: string): unknown {
  const whole = own(record, path)
  if (whole !== undefined) return whole
  return path.split('.').reduce<unknown>((value, name) => {
    const number = /^\d{1,4}$/.test(name) ? Number(name) : undefined
    if (Array.isArray(value)) return number === undefined ? own(value[0], name) : value[number - 1]
    const found = own(value, name)
    // XML converters write a list with one element as that element.
    return found === undefined && number === 1 ? value : found
  }, record)
}

/** Returns a property or attribute of an object. */
function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const found = [name, `@${name}`].find((one) => Object.hasOwn(value, one))
  return found === undefined ? undefined : Reflect.get(value, found)
}
