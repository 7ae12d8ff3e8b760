export class Presented {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
