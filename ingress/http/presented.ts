/**
 * A response whose JSON the route has created in parts. Creating a long one in a single step would block other work of
 * the process.
 */
export class Presented {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
