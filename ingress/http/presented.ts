/** An answer of which its route has made JSON itself, bit by bit: made at once, a long one would hold up what else the process does. */
export class Presented {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
