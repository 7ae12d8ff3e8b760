const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

/** Elements that end when another element starts directly in them. For example, `<li>` ends `<li>`. */
const endedBy = new Map(
  Object.entries({
    li: 'li',
    p: 'p address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header main nav ol pre section table ul',
    tr: 'tr',
    td: 'td tr',
    th: 'th td tr',
    thead: 'tbody tfoot td',
    tbody: 'tbody tfoot',
    option: 'option optgroup',
    optgroup: 'optgroup',
    dt: 'dt dd',
    dd: 'dt dd',
    rt: 'rt rp',
    rp: 'rt rp',
  }).map(([name, ends]) => [name, new Set(ends.split(' '))]),
)

class OpenElements {
  readonly #names: string[] = []
  readonly #counts = new Map<string, number>()

  /** Opens an element, which may close others. Returns the number of open elements. */
  begin(name: string): number {
    while (endedBy.get(this.#names.at(-1) ?? '')?.has(name)) this.#pop()
    this.#names.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    return this.#names.length
  }

  end(name: string): void {
    // Searching for an element that is not open would be slow.
    if (this.#counts.get(name)) while (this.#pop() !== name);
  }

  #pop(): string {
    const name = this.#names.pop() ?? ''
    this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1)
    return name
  }
}

/** True if the nesting exceeds `most`. Checks the tags in one pass, as an HTML parser sees them. */
export function isNestedBeyond(html: string, most: number): boolean {
  const open = new OpenElements()
  for (const [, end, said = ''] of html.matchAll(/<(\/?)([a-z][^\s/>]{0,60})/gi)) {
    const name = said.toLowerCase()
    if (end) open.end(name)
    else if (!empty.has(name) && open.begin(name) > most) return true
  }
  return false
}
