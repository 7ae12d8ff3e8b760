export class PresentedJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
