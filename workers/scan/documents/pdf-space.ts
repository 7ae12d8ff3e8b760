/** Reads the white space of PDF, comments of any length included (ISO 32000-1, 7.2.3), in time in proportion to the text. */
export class Spaces {
  readonly #text: string
  /** Where the next line end is, for each place; made when a comment is first met. */
  #lineEnds: Int32Array | null = null
  readonly #behind = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** Where something else follows. */
  skip(from: number): number {
    const met: number[] = []
    let at = this.#skipBlanks(from)
    while (this.#text[at] === '%') {
      const end = this.#lineEnd(at)
      const known = this.#behind.get(end)
      if (known === undefined) met.push(end)
      at = known ?? this.#skipBlanks(end)
    }
    for (const end of met) this.#behind.set(end, at)
    return at
  }

  #skipBlanks(from: number): number {
    blanks.lastIndex = from
    blanks.test(this.#text)
    return blanks.lastIndex
  }

  #lineEnd(at: number): number {
    this.#lineEnds ??= lineEndsOf(this.#text)
    return this.#lineEnds[at] ?? this.#text.length
  }
}

const blanks = /[\s\0]*/y

function lineEndsOf(text: string): Int32Array {
  const ends = new Int32Array(text.length)
  let end = text.length
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === '\n' || text[at] === '\r') end = at
    ends[at] = end
  }
  return ends
}
