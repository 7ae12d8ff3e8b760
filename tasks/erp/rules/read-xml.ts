import { SaxesParser } from 'saxes'
import { ImportError } from './import-error.ts'
import { demandHeadings, jsonRow } from './read-json.ts'
import type { Row } from './row.ts'

/** Maximum nesting depth of elements, and characters of a record. Records of registers have less. */
const [deepest, longestRecord] = [64, 1_000_000]

/** Characters that each element and attribute counts in addition, because it takes memory even if it is empty. */
const perElement = 50

/** An element: its attributes as `@name`, its text as `$`, and its child elements by local name. */
type Element = Record<string, unknown>

/**
 * Reads the records of an XML file: all elements with the local name `element`. Keeps one record in memory. Entities of
 * a document type are not expanded. Throws `ImportError`.
 */
export async function* readXml(
  text: AsyncIterable<string>,
  element: string,
  headings: readonly string[],
): AsyncGenerator<Row> {
  const records = new XmlRecords(element)
  let line = 0
  for await (const chunk of text) {
    for (const json of records.push(chunk)) {
      const row = jsonRow(json, ++line)
      if (line === 1) demandHeadings(row, headings)
      yield row
    }
  }
  records.end()
  if (line === 0) throw new ImportError(`The file has no element ${element}.`)
}

class XmlRecords {
  readonly #parser = new SaxesParser({ xmlns: false })
  readonly #element: string
  readonly #open: { name: string; element: Element }[] = []
  #depth = 0
  #length = 0
  /** Characters since the last event: the parser keeps them in memory. */
  #pending = 0
  #found: Element[] = []

  constructor(element: string) {
    this.#element = element
    const parser = this.#parser
    parser.on('error', (error) => {
      throw new ImportError(`The file is not valid XML: ${error.message}`)
    })
    parser.on('opentag', ({ name, attributes }) => this.#start(localName(name), attributes))
    parser.on('text', (text) => this.#addText(text))
    parser.on('cdata', (text) => this.#addText(text))
    parser.on('closetag', () => this.#close())
  }

  /** Returns the records that end in this chunk. */
  push(chunk: string): readonly Element[] {
    this.#found = []
    this.#pending += chunk.length
    this.#parser.write(chunk)
    if (this.#pending > longestRecord) throw new ImportError(`A text or tag has more than ${longestRecord} characters.`)
    return this.#found
  }

  end(): void {
    this.#parser.close()
  }

  #start(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#pending = 0
    if (++this.#depth > deepest) throw new ImportError(`Elements are nested more than ${deepest} times.`)
    if (this.#open.length === 0 && name !== this.#element) return
    const element: Element = Object.create(null)
    for (const [key, value] of Object.entries(attributes)) {
      element[`@${key}`] = value
      this.#count(key.length + value.length + perElement)
    }
    this.#count(name.length + perElement)
    this.#open.push({ name, element })
  }

  #addText(text: string): void {
    const element = this.#open.at(-1)?.element
    if (!element || text.trim() === '') return
    this.#count(text.length)
    element.$ = `${element.$ ?? ''}${text}`
  }

  #close(): void {
    this.#pending = 0
    this.#depth--
    const closed = this.#open.pop()
    if (!closed) return
    const parent = this.#open.at(-1)?.element
    if (!parent) {
      this.#length = 0
      this.#found.push(closed.element)
      return
    }
    const before = parent[closed.name]
    if (before === undefined) parent[closed.name] = closed.element
    else if (Array.isArray(before)) before.push(closed.element)
    else parent[closed.name] = [before, closed.element]
  }

  #count(length: number): void {
    this.#length += length
    if (this.#length > longestRecord) throw new ImportError(`A record has more than ${longestRecord} characters.`)
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
