/** Thrown where it shows that another cell has what a request is about: the request is passed on, its body not read yet. */
export class InCell extends Error {
  override name = 'InCell'
  readonly cell: string

  constructor(cell: string) {
    super(`This is for cell ${cell}.`)
    this.cell = cell
  }
}
